import {expect} from 'chai'
import type {FullGate, SignedJob} from '../../../src/lib/gate/gate.ts'
import {runJob, type JobOptions} from '../../../src/lib/engine/run-job.ts'
import type {Ended} from '../../../src/lib/engine/ended.ts'
import {recover} from '../../../src/lib/engine/recover.ts'
import type {BoundAction, SignedOperation} from '../../../src/lib/model/approval.ts'
import {DispatchError} from '../../../src/lib/model/dispatch-error.ts'
import type {JournaledIntent} from '../../../src/lib/model/operation.ts'
import {EngineBench, TOKEN_ID} from '../../support/engine-bench.ts'
import {GateBench} from '../../support/gate-bench.ts'

const digest = `sha256:${'a'.repeat(64)}`

const JOBS: readonly BoundAction[] = [
  {
    op: 'guest.restore_over',
    target: {kind: 'lxc', node: 'pve', vmid: 101, identity: digest},
    params: {archive: 'local:backup/x.tar.zst'},
  },
  {
    op: 'storage.wipe',
    target: {kind: 'storage', node: 'pve', vmid: 0, identity: digest},
    params: {disk: 'sdb'},
  },
  {op: 'host.decommission', target: {kind: 'host', node: 'pve', vmid: 0, identity: digest}, params: {}},
]

interface Lab {
  readonly bench: EngineBench
  readonly gates: GateBench
  readonly executed: JournaledIntent[]
  run(job: SignedJob, change?: Partial<JobOptions>): Promise<Ended>
}

async function openLab(
  execute: (intent: JournaledIntent) => Promise<{kind: 'done'}> = () => Promise.resolve({kind: 'done'}),
): Promise<Lab> {
  const bench = new EngineBench()
  const gates = await GateBench.open()
  const executed: JournaledIntent[] = []
  const executor = (intent: JournaledIntent): Promise<{kind: 'done'}> => {
    executed.push(intent)
    return execute(intent)
  }
  const executors = Object.fromEntries(JOBS.map(({op}) => [op, executor])) as JobOptions['executors']
  let runs = 0
  return {
    bench,
    gates,
    executed,
    run: (job, change = {}) => {
      const gate: FullGate = gates.gate
      const options = {...bench.runOptions({run: `r${String(++runs)}`}), gate, executors, ...change}
      return bench.sandbox.clock.run(runJob(job, options))
    },
  }
}

const jobOf = (bound: BoundAction): SignedJob => ({bound, observe: () => Promise.resolve(digest)})

/** Lays an approval for exactly this on the desk. */
function approve({gates}: Lab, bound: BoundAction): string {
  const nonce = gates.newNonce()
  gates.lay(gates.seal({payload: gates.payload({nonce, observed: digest}, bound)}))
  return nonce
}

describe('a signed job with an executor that somebody has brought', () => {
  for (const bound of JOBS) {
    it(`${bound.op} is carried out once under its nonce, and never without a signature`, async () => {
      const lab = await openLab()
      const unsigned = await lab.run(jobOf(bound))
      expect(unsigned).to.include({outcome: 'refused', refusal: 'pending_signature'})
      const nonce = approve(lab, bound)
      expect((await lab.run(jobOf(bound))).outcome).to.equal('succeeded')
      expect(await lab.run(jobOf(bound))).to.include({outcome: 'refused', refusal: 'replay'})
      expect(lab.executed.map(({key, class: gateClass}) => ({key, gateClass}))).to.deep.equal([
        {key: nonce, gateClass: 'destructive'},
      ])
      expect(lab.executed[0]?.body).to.include({type: 'job', job: bound.op})
    })
  }

  it('has its record on disk before the executor is called', async () => {
    const [bound] = JOBS
    if (!bound) throw new Error('no job')
    const seen: string[] = []
    const lab = await openLab(() => {
      seen.push(...lab.bench.journal.records, lab.gates.nonces.state(nonce))
      return Promise.resolve({kind: 'done'})
    })
    const nonce = approve(lab, bound)
    await lab.run(jobOf(bound))
    expect(seen).to.deep.equal(['start r1.1', 'burned'])
  })

  it('is not sent when its record cannot be written, and its approval is spent', async () => {
    const [bound] = JOBS
    if (!bound) throw new Error('no job')
    const lab = await openLab()
    const nonce = approve(lab, bound)
    lab.bench.journal.failure = () => new Error('no space')
    const failure = await lab.run(jobOf(bound)).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(String(failure)).to.contain('no space')
    expect(lab.executed).to.deep.equal([])
    expect(lab.gates.nonces.state(nonce)).to.equal('burned')
    lab.bench.journal.reopen()
    expect(await lab.run(jobOf(bound))).to.include({refusal: 'replay'})
  })

  it('stays open when nobody knows whether it was carried out, and recover leaves it to a person', async () => {
    const [, bound] = JOBS
    if (!bound) throw new Error('no job')
    const lab = await openLab(() => Promise.reject(new DispatchError('timeout', 'no answer', 'ambiguous')))
    approve(lab, bound)
    expect((await lab.run(jobOf(bound))).outcome).to.equal('in_flight')
    const {bench} = lab
    const {clock} = bench.sandbox
    const look = {reader: bench.reader, journal: bench.journal, clock, tokenId: TOKEN_ID}
    await clock.run(recover({...look, waitMs: 60_000, signal: new AbortController().signal}))
    expect(bench.states()).to.deep.equal(['job quarantined'])
    approve(lab, bound)
    expect((await lab.run(jobOf(bound))).outcome).to.equal('frozen')
    expect(lab.executed).to.have.length(1)
  })

  it('has failed when it was surely not carried out, and needs a new signature', async () => {
    const [bound] = JOBS
    if (!bound) throw new Error('no job')
    const lab = await openLab(() => Promise.reject(new DispatchError('forbidden', 'no', 'no')))
    approve(lab, bound)
    expect((await lab.run(jobOf(bound))).outcome).to.equal('failed')
    expect(await lab.run(jobOf(bound))).to.include({refusal: 'replay'})
    approve(lab, bound)
    expect((await lab.run(jobOf(bound))).outcome).to.equal('failed')
    expect(lab.executed).to.have.length(2)
  })

  it('is not even asked about without an executor: no signature is wasted', async () => {
    const lab = await openLab()
    const [bound] = JOBS
    if (!bound) throw new Error('no job')
    const nonce = approve(lab, bound)
    expect((await lab.run(jobOf(bound), {executors: {}})).outcome).to.equal('blocked')
    expect(lab.gates.nonces.state(nonce)).to.equal('fresh')
  })

  it('is not what another operation was signed for', async () => {
    const lab = await openLab()
    const [bound] = JOBS
    if (!bound) throw new Error('no job')
    approve(lab, bound)
    const others: SignedOperation[] = ['storage.wipe', 'host.decommission']
    for (const op of others) {
      const ended = await lab.run(jobOf({...bound, op}))
      expect(ended.outcome).to.equal('refused')
    }
    expect(lab.executed).to.deep.equal([])
  })
})
