import {expect} from 'chai'
import {BackOffs} from '../../../../src/lib/app/daemon/back-offs.ts'
import type {ActionOutcome, ActionResult} from '../../../../src/lib/model/run-event.ts'
import {actionResult} from '../../../support/action-result.ts'
import {guestPlan, plannedAction} from '../../../support/planned-action.ts'

const LIMITS = {firstMs: 60_000, maxMs: 600_000}

const start = plannedAction({type: 'start'})
const results = (outcome: ActionOutcome): ActionResult[] => [actionResult(101, start, outcome)]

describe('back-off', () => {
  const plan = guestPlan(101, [start])

  it('doubles with each failure of a guest, up to the longest pause', () => {
    const backOffs = new BackOffs()
    const pauses: number[] = []
    let nowMs = 0
    for (let i = 0; i < 6; i++) {
      backOffs.learn([plan], results('failed'), nowMs, LIMITS)
      const untilMs = backOffs.waiting(nowMs)[0]?.untilMs ?? 0
      pauses.push(untilMs - nowMs)
      nowMs = untilMs
    }
    expect(pauses).to.deep.equal([60_000, 120_000, 240_000, 480_000, 600_000, 600_000])
    expect(backOffs.waiting(nowMs)).to.deep.equal([])
  })

  it('is over when a clock that was years ahead is put right', () => {
    const backOffs = new BackOffs()
    const wrongMs = Date.UTC(2036, 0, 1)
    for (let i = 0; i < 3; i++) backOffs.learn([plan], results('failed'), wrongMs, LIMITS)
    expect(backOffs.waiting(wrongMs)).to.have.length(1)
    expect(backOffs.waiting(Date.UTC(2026, 0, 1))).to.deep.equal([])
    backOffs.learn([plan], results('failed'), Date.UTC(2026, 0, 1), LIMITS)
    expect(backOffs.waiting(Date.UTC(2026, 0, 1))[0]?.untilMs).to.equal(Date.UTC(2026, 0, 1) + 480_000)
  })

  it('is over after a success, after a change of what is to be done, and when all shall be tried', () => {
    const failed = (): BackOffs => {
      const backOffs = new BackOffs()
      backOffs.learn([plan], results('failed'), 0, LIMITS)
      expect(backOffs.waiting(0)).to.have.length(1)
      return backOffs
    }
    const succeeded = failed()
    succeeded.learn([plan], results('succeeded'), 0, LIMITS)
    expect(succeeded.waiting(0)).to.deep.equal([])
    const changed = failed()
    changed.compare([guestPlan(101, [plannedAction({type: 'restart'})])])
    expect(changed.waiting(0)).to.deep.equal([])
    const gone = failed()
    gone.compare([])
    expect(gone.waiting(0)).to.deep.equal([])
    const asked = failed()
    asked.forgetAll()
    expect(asked.waiting(0)).to.deep.equal([])
  })

  it('stays while the guest is not seen', () => {
    for (const code of ['absence_unproved', 'node_offline', 'config_unknown']) {
      const backOffs = new BackOffs()
      backOffs.learn([plan], results('failed'), 0, LIMITS)
      const away = guestPlan(101, [])
      backOffs.compare([{...away, problems: [{code, severity: 'error', message: 'it was not seen'}]}])
      expect(backOffs.waiting(0), code).to.have.length(1)
    }
  })

  it('stays when only something else stands in the way', () => {
    const backOffs = new BackOffs()
    backOffs.learn([plan], results('failed'), 0, LIMITS)
    const blocked = plannedAction({type: 'start'}, {blockers: [{code: 'locked', message: 'locked'}]})
    backOffs.compare([guestPlan(101, [blocked])])
    backOffs.learn([plan], results('blocked'), 0, LIMITS)
    expect(backOffs.waiting(0)).to.deep.equal([
      {guest: {kind: 'lxc', vmid: 101}, failures: 1, untilMs: 60_000},
    ])
  })
})
