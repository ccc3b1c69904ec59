import {expect} from 'chai'
import {describeStanding} from '../../../../../src/lib/app/daemon/tell/describe-standing.ts'
import {actionResult, setOptions} from '../../../../support/action-result.ts'
import {intentOf, openOf} from '../../../../support/operations.ts'
import {
  failedPass,
  freshSource,
  guestPlan,
  passReport,
  passWithoutPlan,
  planOf,
} from '../../../../support/pass-report.ts'

describe('the one line about a pass', () => {
  const action = setOptions('memory')
  const plan = planOf(guestPlan(101, action))

  it('counts what still differs after the pass, and not what the pass has put right', () => {
    const right = passReport(1, {plan, results: [actionResult(101, action, 'succeeded')]})
    expect(describeStanding(right)).to.equal('pass 1: all as desired')
    const left = passReport(2, {plan, results: [actionResult(101, action, 'failed')]})
    expect(describeStanding(left)).to.equal('pass 2: 1 with drift')
  })

  it('does not call desired what was changed meanwhile, or was not come to', () => {
    for (const outcome of ['stale', 'not_started', 'in_flight', 'frozen'] as const)
      expect(
        describeStanding(passReport(1, {plan, results: [actionResult(101, action, outcome)]})),
        outcome,
      ).to.equal('pass 1: 1 not settled')
  })

  it('says when an old revision is compared with, and what is wrong with the plan as a whole', () => {
    const saying = (state: 'refused' | 'away') => ({...freshSource(1), state, problem: 'it is so'})
    expect(describeStanding(passReport(1, {source: saying('refused')}))).to.equal(
      'pass 1: all as last desired; the source is refused',
    )
    const problem = {code: 'x', severity: 'error', message: 'it is so'} as const
    const wrong = {...planOf(), problems: [problem, {...problem, severity: 'warning'} as const]}
    expect(describeStanding(passReport(2, {source: saying('away'), plan: wrong}))).to.equal(
      'pass 2: 1 wrong with all of it; the source is away',
    )
  })

  it('tells of open operations, of no desired state, and of what went wrong', () => {
    const open = [openOf(intentOf(1, {type: 'start'}), 'started')]
    expect(describeStanding(passReport(3, {open}))).to.equal('pass 3: 1 open')
    const none = {kind: 'none', place: '', state: 'fresh'} as const
    expect(describeStanding(passWithoutPlan(4, {source: none}))).to.equal('pass 4: nothing is desired')
    expect(describeStanding(failedPass(5))).to.equal('pass 5: no way to pve1')
  })

  it('does not call desired what could not be seen, is written wrong, or has no desired state to be compared with', () => {
    const saying = (vmid: number, severity: 'error' | 'warning', code: string) => ({
      ...guestPlan(vmid),
      problems: [{code, severity, message: 'it is so'}],
    })
    const seen = planOf(
      saying(101, 'error', 'node_offline'),
      saying(102, 'warning', 'config_unknown'),
      saying(103, 'error', 'kind_mismatch'),
      saying(104, 'warning', 'restart_pending'),
    )
    expect(describeStanding(passReport(1, {plan: seen}))).to.equal('pass 1: 2 not seen, 1 with a mistake')
    const source = {kind: 'git', place: 'hub', state: 'refused', problem: 'it holds a mistake'} as const
    expect(describeStanding(passWithoutPlan(2, {source}))).to.equal(
      'pass 2: no desired state can be used: it holds a mistake',
    )
  })
})
