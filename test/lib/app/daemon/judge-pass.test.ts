// The exit code of a single pass, as code.
import {expect} from 'chai'
import {judgePass} from '../../../../src/lib/app/daemon/judge-pass.ts'
import type {PassReport} from '../../../../src/lib/model/daemon.ts'
import {actionResult, plannedAction, setOptions} from '../../../support/action-result.ts'
import {desiredGuest} from '../../../support/desired-guest.ts'
import {stranger} from '../../../support/gate-bench.ts'
import {PassBench} from '../../../support/pass-bench.ts'
import {freshSource, guestPlan, passReport, planOf} from '../../../support/pass-report.ts'

const gone = desiredGuest(101, {}, {ensure: 'absent'})

describe('a single pass', () => {
  for (const mode of ['observe', 'benign', 'full'] as const)
    it(`in mode ${mode} says that a signature is pending, each time`, async () => {
      const bench = await PassBench.make({mode})
      bench.desired = [gone]
      for (let run = 0; run < 3; run++) {
        bench.restart()
        expect(judgePass(await bench.pass())).to.equal('signature_pending')
      }
      bench.suspensions = [{vmid: 101, sinceMs: 0, by: 'anna@pve1'}]
      expect(judgePass(await bench.pass()), 'nobody is waited for').to.equal(undefined)
      bench.suspensions = []
      bench.desired = [desiredGuest(150, {}, {ensure: 'absent'})]
      bench.approvals = [await bench.sign(150, {type: 'destroy', volumes: []})]
      expect(judgePass(await bench.pass()), 'it is signed').to.equal(undefined)
    })

  it('says so of a signed job that others have yet to sign, and nothing of a stranger’s', async () => {
    const bench = await PassBench.make({mode: 'full'})
    const action = {type: 'destroy', volumes: []} as const
    bench.jobs = [await bench.sign(150, action, stranger)]
    expect(judgePass(await bench.pass())).to.equal(undefined)
    const {payload} = JSON.parse(Buffer.from((await bench.sign(150, action)).bytes).toString()) as {
      payload: string
    }
    bench.jobs = [{name: 'x.json', bytes: Buffer.from(JSON.stringify({v: 1, payload, signatures: []}))}]
    const report = await bench.pass()
    expect(report.jobs).to.have.length(1)
    expect(judgePass(report)).to.equal('signature_pending')
  })

  for (const [when, vmids, began] of [
    ['between two jobs', [150, 101], 'DELETE'],
    ['in the middle of the last', [101], 'POST'],
  ] as const)
    it(`is interrupted by a signal ${when}`, async () => {
      const bench = await PassBench.make({mode: 'full'})
      for (const vmid of vmids) bench.jobs.push(await bench.sign(vmid, {type: 'destroy', volumes: []}))
      bench.bench.fault = ({method}) => {
        if (method === began) bench.stop.abort('SIGTERM')
        return undefined
      }
      expect(judgePass(await bench.pass())).to.equal('interrupted')
      expect(bench.sent(), 'nothing more is begun').to.have.length(1)
    })

  it('is well when a window has closed or somebody has suspended a guest in the middle of it', () => {
    const [start, create] = [plannedAction({type: 'start'}), setOptions('memory')]
    const results = [
      actionResult(101, create, 'refused', {refusal: 'withheld'}),
      actionResult(101, start, 'skipped'),
    ]
    const plan = planOf(guestPlan(101, create, start))
    expect(judgePass(passReport(1, {plan, results}))).to.equal(undefined)
    const other = [...results, actionResult(102, start, 'skipped')]
    expect(judgePass(passReport(1, {plan, results: other}))).to.equal('apply_failed')
  })

  it('says the worst: what failed before what waits', () => {
    const unsigned = plannedAction(
      {type: 'destroy', volumes: []},
      {class: 'destructive', blockers: [{code: 'needs_signature', message: 'nobody has signed'}]},
    )
    const report: PassReport = passReport(1, {
      plan: planOf(guestPlan(101, unsigned)),
      results: [actionResult(101, unsigned, 'refused', {refusal: 'pending_signature'})],
    })
    expect(judgePass(report)).to.equal('signature_pending')
    const failed = {nonce: 'n', op: 'snapshot.delete', outcome: 'failed'} as const
    expect(judgePass({...report, jobs: [failed]})).to.equal('apply_failed')
    expect(judgePass({...report, source: {...freshSource(1), state: 'refused'}})).to.equal('source_refused')
  })
})
