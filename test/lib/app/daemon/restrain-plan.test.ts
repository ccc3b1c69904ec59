import {expect} from 'chai'
import {restrainPlan, type Restraints} from '../../../../src/lib/app/daemon/restrain-plan.ts'
import type {GuestPlan, Plan} from '../../../../src/lib/model/plan.ts'
import {guestPlan, plannedAction} from '../../../support/planned-action.ts'

const NONE: Restraints = {withhold: () => undefined, suspensions: [], backOffs: []}
const planOf = (...guests: GuestPlan[]): Plan => ({guests, unmanaged: 0, unchanged: 0, problems: []})
const blockersOf = (plan: Plan): string[] =>
  plan.guests.flatMap(({vmid, actions}) =>
    actions.map(({type, blockers}) => `${vmid} ${type}: ${blockers.map(({code}) => code).join()}`),
  )

describe('a plan in the hands of the daemon', () => {
  const start = plannedAction({type: 'start'})
  const destroy = plannedAction({type: 'destroy', volumes: []}, {class: 'destructive'})
  const shutdown = plannedAction({type: 'shutdown', timeoutMs: 1, force: false}, {impact: 'outage'})
  const both = planOf(guestPlan(101, [start]), guestPlan(102, [start]))

  it('is unchanged where nothing holds it back', () => {
    expect(restrainPlan(both, NONE)).to.deep.equal(both)
  })

  it('keeps every action, with the reason why it waits', () => {
    const withhold: Restraints['withhold'] = () => 'not now'
    const [guest] = restrainPlan(both, {...NONE, withhold}).guests
    expect(guest?.actions[0]?.blockers).to.deep.equal([{code: 'withheld', message: 'not now'}])
  })

  it('does not shut a guest down for a destruction that is withheld', () => {
    const plan = planOf(guestPlan(101, [shutdown, destroy]))
    const withhold: Restraints['withhold'] = (_, gateClass) =>
      gateClass === 'destructive' ? 'not now' : undefined
    expect(blockersOf(restrainPlan(plan, {...NONE, withhold}))).to.deep.equal([
      '101 shutdown: withheld',
      '101 destroy: withheld',
    ])
  })

  it('leaves a suspended guest alone, and all of them where all are suspended', () => {
    const one = {vmid: 101, sinceMs: 0, by: 'anna@pve1', reason: 'a test'} as const
    const plan = restrainPlan(both, {...NONE, suspensions: [one]})
    expect(blockersOf(plan)).to.deep.equal(['101 start: suspended', '102 start: '])
    expect(plan.guests[0]?.actions[0]?.blockers[0]?.message).to.equal(
      'the guest is suspended since 1970-01-01T00:00:00.000Z by anna@pve1: a test',
    )
    expect(blockersOf(restrainPlan(both, {...NONE, suspensions: [{...one, vmid: 'all'}]}))).to.deep.equal([
      '101 start: suspended',
      '102 start: suspended',
    ])
  })

  it('waits with a guest that failed', () => {
    const backOffs = [{guest: {kind: 'lxc', vmid: 102}, failures: 2, untilMs: 60_000}] as const
    const plan = restrainPlan(both, {...NONE, backOffs})
    expect(blockersOf(plan)).to.deep.equal(['101 start: ', '102 start: backing_off'])
    expect(plan.guests[1]?.actions[0]?.blockers[0]?.message).to.equal(
      'it came to nothing 2 times and is tried again 1970-01-01T00:01:00.000Z',
    )
  })
})
