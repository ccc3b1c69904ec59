import {expect} from 'chai'
import {describeStanding} from '../../../../src/lib/app/daemon/describe-standing.ts'
import {actionResult, setOptions} from '../../../support/action-result.ts'
import {intentOf, openOf} from '../../../support/operations.ts'
import {failedPass, guestPlan, passReport, passWithoutPlan, planOf} from '../../../support/pass-report.ts'

describe('the one line about a pass', () => {
  const action = setOptions('memory')
  const plan = planOf(guestPlan(101, action))

  it('counts what still differs after the pass, and not what the pass has put right', () => {
    const right = passReport(1, {plan, results: [actionResult(101, action, 'succeeded')]})
    expect(describeStanding(right)).to.equal('pass 1: all as desired')
    const left = passReport(2, {plan, results: [actionResult(101, action, 'failed')]})
    expect(describeStanding(left)).to.equal('pass 2: 1 with drift')
  })

  it('tells of open operations, of no desired state, and of what went wrong', () => {
    const open = [openOf(intentOf(1, {type: 'start'}), 'started')]
    expect(describeStanding(passReport(3, {open}))).to.equal('pass 3: 1 open')
    expect(describeStanding(passWithoutPlan(4))).to.equal('pass 4: nothing is desired')
    expect(describeStanding(failedPass(5))).to.equal('pass 5: no way to pve1')
  })
})
