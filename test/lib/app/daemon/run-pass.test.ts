// What a pass of the daemon does and leaves undone, on the sandbox with the real gate and real signatures.
import {expect} from 'chai'
import {judgePass} from '../../../../src/lib/app/daemon/judge-pass.ts'
import {FelhomError} from '../../../../src/lib/model/felhom-error.ts'
import type {PassReport} from '../../../../src/lib/model/daemon.ts'
import {desiredGuest} from '../../../support/desired-guest.ts'
import {stranger} from '../../../support/gate-bench.ts'
import {PassBench} from '../../../support/pass-bench.ts'

const memory = (vmid: number, text = '777') => desiredGuest(vmid, {memory: text})
const gone = (vmid: number) => desiredGuest(vmid, {}, {ensure: 'absent'})

const outcomes = ({results}: PassReport): string[] =>
  results.map(({guest, action, outcome}) => `${guest.vmid} ${action.type} ${outcome}`)

describe('a pass of the daemon', () => {
  it('only looks where it shall observe, and says what it would do', async () => {
    const bench = await PassBench.make()
    bench.desired = [memory(101)]
    const report = await bench.pass()
    expect(bench.sent()).to.deep.equal([])
    expect(report.permission).to.equal('observe')
    expect(report.plan?.guests[0]?.actions[0]?.blockers).to.deep.equal([
      {code: 'withheld', message: 'the daemon only observes (daemon.mode)'},
    ])
    expect(judgePass(report)).to.equal(undefined)
  })

  it('does nothing at all where nothing is desired', async () => {
    for (const desired of [undefined, []]) {
      const bench = await PassBench.make({mode: 'full'})
      bench.desired = desired
      const report = await bench.pass()
      expect(bench.sent()).to.deep.equal([])
      expect(report.results).to.deep.equal([])
      expect(report.problem).to.equal(undefined)
    }
  })

  it('does what loses nothing in mode benign, and next time finds nothing to do', async () => {
    const bench = await PassBench.make({mode: 'benign'})
    bench.desired = [memory(101)]
    expect(outcomes(await bench.pass())).to.deep.equal(['101 set-config succeeded'])
    const report = await bench.pass()
    expect(report.plan?.guests).to.deep.equal([])
    expect(bench.sent()).to.deep.equal([])
  })

  it('destroys nothing in mode benign, whatever is signed', async () => {
    const bench = await PassBench.make({mode: 'benign'})
    bench.desired = [gone(150)]
    bench.approvals = [await bench.sign(150, {type: 'destroy', volumes: []})]
    const report = await bench.pass()
    expect(bench.sent()).to.deep.equal([])
    expect(report.results.map(({outcome}) => outcome)).to.include('blocked')
  })

  it('destroys in mode full what is signed, once', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.desired = [gone(150)]
    bench.approvals = [await bench.sign(150, {type: 'destroy', volumes: []})]
    expect(outcomes(await bench.pass()).at(-1)).to.equal('150 destroy succeeded')
    expect(bench.sent().filter((line) => line.startsWith('DELETE'))).to.have.length(1)
    bench.restart()
    await bench.pass()
    expect(bench.sent()).to.deep.equal([])
  })

  it('does not shut down a guest whose destruction lacks its signature', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.desired = [gone(101)]
    const report = await bench.pass()
    expect(bench.sent()).to.deep.equal([])
    expect(judgePass(report)).to.equal('signature_pending')
  })

  it('takes no approval of a stranger, and hears the refusal once, not in every pass', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.desired = [gone(150)]
    bench.approvals = [await bench.sign(150, {type: 'destroy', volumes: []}, stranger)]
    const audited: number[] = []
    for (let i = 0; i < 5; i++) {
      await bench.pass()
      expect(bench.sent()).to.deep.equal([])
      audited.push(await bench.look(({audit}) => audit.head().seq))
    }
    expect(audited[0]).to.be.greaterThan(0)
    expect(new Set(audited.slice(1))).to.have.property('size', 1)
    bench.approvals = [await bench.sign(150, {type: 'destroy', volumes: []})]
    expect(outcomes(await bench.pass()).at(-1)).to.equal('150 destroy succeeded')
  })

  it('leaves a suspended guest alone and serves the others', async () => {
    const bench = await PassBench.make({mode: 'benign'})
    bench.desired = [memory(101), memory(110)]
    bench.suspensions = [{vmid: 101, sinceMs: 0, by: 'anna@pve1'}]
    const report = await bench.pass()
    expect(outcomes(report)).to.deep.equal(['101 set-config blocked', '110 set-config succeeded'])
    expect(judgePass(report)).to.equal(undefined)
  })

  it('begins nothing more once somebody suspends a guest, or all, while the pass is under way', async () => {
    for (const vmid of [110, 'all'] as const) {
      const bench = await PassBench.make({mode: 'benign'})
      bench.settings = {...bench.settings, limits: {...bench.settings.limits, writesPerNode: 1}}
      bench.desired = [memory(101), memory(110)]
      bench.bench.fault = ({method}) => {
        if (method === 'PUT') bench.suspensions = [{vmid, sinceMs: 0, by: 'anna@pve1', reason: 'stop!'}]
        return undefined
      }
      const report = await bench.pass()
      const withheld = report.results.filter(({refusal}) => refusal === 'withheld')
      expect(withheld.map(({guest}) => guest.vmid)).to.deep.equal([110])
      for (const {detail} of withheld) expect(detail).to.contain('suspended').and.contain('stop!')
      expect(bench.sent()).to.deep.equal(['PUT /nodes/pve1/lxc/101/config'])
      expect(report.suspensions, 'as it is at its end').to.deep.equal(bench.suspensions)
    }
  })

  it('tries a guest that fails less and less often, and the others all the same', async () => {
    const bench = await PassBench.make({mode: 'benign', intervalMs: 60_000})
    bench.desired = [memory(101), memory(110, '600')]
    bench.bench.fault = ({method, path}) =>
      method === 'PUT' && path.includes('/101/') ? {kind: 'status', when: 'before', status: 403} : undefined
    const tries: number[] = []
    for (let minute = 0; minute < 16; minute++) {
      bench.desired = [memory(101), memory(110, String(600 + minute))]
      const report = await bench.pass()
      expect(outcomes(report)).to.include('110 set-config succeeded')
      if (outcomes(report).includes('101 set-config failed')) tries.push(minute)
      await bench.clock.run(bench.clock.sleep(60_000))
    }
    expect(tries).to.deep.equal([0, 1, 3, 7, 15])
  })

  it('destroys no guest that is suspended while the last is read that its signature is compared with', async () => {
    let suspended = 0
    for (let at = 1; at <= 5; at++) {
      const bench = await PassBench.make({mode: 'full'})
      bench.desired = [gone(150)]
      bench.approvals = [await bench.sign(150, {type: 'destroy', volumes: []})]
      let reads = 0
      bench.bench.fault = ({path}) => {
        if (path.endsWith('/lxc/150/snapshot') && ++reads === at) {
          bench.suspensions = [{vmid: 150, sinceMs: 0, by: 'anna@pve1'}]
          suspended++
        }
        return undefined
      }
      await bench.pass()
      const wanted = bench.suspensions.length === 0 ? 1 : 0
      expect(bench.sent(), `suspended at the ${at}. reading`).to.have.length(wanted)
      const nonce = Buffer.alloc(16, 1).toString('base64url')
      const state = await bench.look(({nonces}) => nonces.state(nonce))
      expect(state, 'the signature is kept').to.equal(wanted === 1 ? 'burned' : 'fresh')
    }
    expect(suspended).to.be.greaterThan(1)
  })

  it('says what is suspended and what waits, though somebody else has the state directory', async () => {
    const bench = await PassBench.make({mode: 'benign'})
    bench.desired = [memory(101)]
    bench.bench.fault = ({method}) =>
      method === 'PUT' ? {kind: 'status', when: 'before', status: 400} : undefined
    const {backOffs} = await bench.pass()
    expect(backOffs).to.have.length(1)
    bench.suspensions = [{vmid: 'all', sinceMs: 0, by: 'anna@pve1'}]
    bench.open = () => Promise.reject(new FelhomError('journal_locked', 'an apply has it'))
    const report = await bench.pass()
    expect(report.problem?.code).to.equal('journal_locked')
    expect(report).to.deep.include({suspensions: bench.suspensions, backOffs})
  })

  it('begins nothing after a window has closed, though the pass began inside', async () => {
    const bench = await PassBench.make({mode: 'benign'})
    const startMs = bench.clock.now()
    const opened = new Date(startMs - 1000)
    const cron = `${opened.getUTCSeconds()} ${opened.getUTCMinutes()} ${opened.getUTCHours()} * * *`
    bench.set({windows: [{cron, durationMs: 10_000, timezone: 'UTC'}]})
    bench.settings = {...bench.settings, limits: {...bench.settings.limits, writesPerNode: 1}}
    bench.desired = [desiredGuest(101, {}, {run: 'stopped'}), memory(102), memory(110)]
    // Somebody slow answers: by the time the first has ended, the window is closed.
    bench.bench.fault = ({method}) => (method === 'GET' ? undefined : {kind: 'slow', ms: 20_000})
    const report = await bench.pass()
    expect(report.permission).to.equal('benign')
    const ended = report.results.map(({outcome, refusal}) => refusal ?? outcome)
    expect(ended).to.include('withheld')
    expect(bench.sent().length).to.be.lessThan(report.results.length)
  })

  it('settles first what an earlier process left open', async () => {
    const bench = await PassBench.make({mode: 'benign'})
    bench.desired = [memory(101)]
    bench.bench.fault = ({method}) => (method === 'PUT' ? {kind: 'reset', when: 'after'} : undefined)
    const first = await bench.pass()
    bench.bench.fault = () => undefined
    bench.restart()
    await bench.clock.run(bench.clock.sleep(120_000))
    const second = await bench.pass()
    expect([first.open.length, second.open.length]).to.deep.equal([first.open.length, 0])
    expect(second.plan?.guests).to.deep.equal([])
  })

  it('asks the gate for a signature once it may act, and not before', async () => {
    const bench = await PassBench.make()
    bench.desired = [gone(150)]
    for (let i = 0; i < 2; i++)
      expect((await bench.pass()).results[0]?.detail).not.to.contain('the gate was asked')
    bench.set({mode: 'full'})
    const asked: string[] = []
    for (let i = 0; i < 3; i++) asked.push(...outcomes(await bench.pass()))
    expect(asked.filter((line) => line.startsWith('150 destroy'))).to.deep.equal([
      '150 destroy refused',
      '150 destroy blocked',
      '150 destroy blocked',
    ])
  })

  it('restarts no guest for a change that lacks its signature, though a restart was not heard of before', async () => {
    const bench = await PassBench.make({mode: 'full'})
    const kind = 'qemu'
    bench.desired = [desiredGuest(200, {cores: '1'}, {kind})]
    await bench.pass()
    for (const restart of ['never', 'allowed', 'allowed'] as const) {
      bench.desired = [desiredGuest(200, {scsi0: null}, {kind, restart})]
      const report = await bench.pass()
      expect(bench.sent()).to.deep.equal([])
      expect(judgePass(report)).to.equal('signature_pending')
    }
  })

  it('reports that Proxmox was away, and goes on with the next pass', async () => {
    const bench = await PassBench.make({mode: 'benign'})
    bench.desired = [memory(101)]
    bench.bench.fault = () => ({kind: 'status', when: 'before', status: 500})
    const report = await bench.pass()
    expect(report.problem?.code).to.be.a('string')
    bench.bench.fault = () => undefined
    expect(outcomes(await bench.pass())).to.deep.equal(['101 set-config succeeded'])
  })
})
