// What a pass does with the signed jobs that the source carries, on the sandbox with the real gate and signatures.
import {expect} from 'chai'
import {hasEnded} from '../../../../../src/lib/app/daemon/tell/alert-matters.ts'
import {findAlerts, NOTHING_TOLD} from '../../../../../src/lib/app/daemon/tell/find-alerts.ts'
import {judgePass} from '../../../../../src/lib/app/daemon/judge-pass.ts'
import type {PassReport} from '../../../../../src/lib/model/daemon.ts'
import {desiredGuest} from '../../../../support/desired-guest.ts'
import {DAY_MS, stranger} from '../../../../support/gate-bench.ts'
import {PassBench} from '../../../../support/pass-bench.ts'

const MINUTE_MS = 60_000
const tellAlerts = (report: PassReport): string[] =>
  findAlerts(NOTHING_TOLD, report, {staleAfterMs: DAY_MS, trustWarningMs: DAY_MS})
    .alerts.filter(({kind}) => kind === 'job_ended')
    .map(({text}) => text)

describe('a signed job of the source', () => {
  const job = {type: 'destroy', volumes: []} as const

  it('is carried out once, and what became of it is told again to whoever asks later', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.jobs = [await bench.sign(150, job)]
    expect((await bench.pass()).jobs.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
    expect(bench.sent().filter((line) => line.startsWith('DELETE'))).to.have.length(1)
    bench.restart()
    const again = await bench.pass()
    expect(again.jobs.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
    expect(bench.sent()).to.deep.equal([])
    expect(bench.told.filter(({type}) => type === 'job_ended')).to.have.length(2)
  })

  it('is left alone where the daemon may not, and for another installation', async () => {
    const bench = await PassBench.make({mode: 'benign'})
    bench.jobs = [await bench.sign(150, job)]
    expect((await bench.pass()).jobs.map(({outcome}) => outcome)).to.deep.equal(['blocked'])
    bench.set({mode: 'full'})
    const other = await bench.sign(150, job, undefined, {host: 'another'})
    bench.jobs = [other]
    expect((await bench.pass()).jobs).to.deep.equal([])
    expect(bench.sent()).to.deep.equal([])
  })

  it('is refused when it was signed by nobody we know, and asked about once', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.jobs = [await bench.sign(150, job, stranger)]
    const audited: number[] = []
    for (let i = 0; i < 4; i++) {
      const [result] = (await bench.pass()).jobs
      expect(result?.outcome).to.equal('refused')
      expect(bench.sent()).to.deep.equal([])
      audited.push(await bench.look(({audit}) => audit.head().seq))
    }
    expect(new Set(audited.slice(1))).to.have.property('size', 1)
    expect(bench.told.filter(({type}) => type === 'job_ended').length).to.be.lessThan(3)
  })

  it('is refused when it has expired or is no job at all, and waits for what is not there', async () => {
    const bench = await PassBench.make({mode: 'full'})
    const late = await bench.sign(150, job)
    await bench.clock.run(bench.clock.sleep(25 * 3_600_000))
    const good = await bench.sign(102, {type: 'snapshot-delete', snapshot: 'nothing'})
    bench.jobs = [late, good, {name: 'x.json', bytes: Buffer.from('{"v":1')}]
    const report = await bench.pass()
    expect(report.jobs.map(({outcome, refusal}) => `${outcome} ${refusal ?? ''}`)).to.deep.equal([
      'refused expired',
      'blocked ',
    ])
    expect(bench.told.some((event) => event.type === 'warning' && event.text.includes('x.json'))).to.equal(
      true,
    )
    expect(bench.sent()).to.deep.equal([])
  })

  it('that nobody has signed for is told apart before anything of Proxmox is read', async () => {
    const bench = await PassBench.make({mode: 'full'})
    await bench.pass()
    const alone = bench.bench.sent('all').length
    const audited: number[] = []
    for (let pass = 0; pass < 2; pass++) {
      bench.jobs = []
      for (let i = 0; i < 20; i++) bench.jobs.push(await bench.sign(150, job, stranger))
      const report = await bench.pass()
      expect(report.jobs.map(({refusal}) => refusal)).to.deep.equal(Array(20).fill('unknown_signer'))
      expect(bench.bench.sent('all')).to.have.length(alone)
      audited.push(await bench.look(({audit}) => audit.head().seq))
    }
    const [first = 0, second = 0] = audited
    expect(second - first, 'few of a pass are audited').to.equal(3)
  })

  it('is carried out though another envelope of its number is signed by nobody', async () => {
    const bench = await PassBench.make({mode: 'full'})
    const nonce = Buffer.alloc(16, 77).toString('base64url')
    bench.jobs = [
      await bench.sign(110, job, stranger, {nonce}),
      await bench.sign(150, job, undefined, {nonce}),
    ]
    const [result] = (await bench.pass()).jobs
    expect(result).to.deep.include({outcome: 'succeeded', guest: {kind: 'lxc', vmid: 150}})
  })

  it('whose guest cannot be looked at keeps no other from being done, and none from being tidied up', async () => {
    const bench = await PassBench.make({mode: 'full'})
    const action = {type: 'snapshot-delete', snapshot: 'x'} as const
    bench.jobs = [await bench.sign(102, action), await bench.sign(150, job)]
    bench.bench.fault = ({path}) =>
      path.endsWith('/lxc/102/snapshot') ? {kind: 'status', when: 'before', status: 403} : undefined
    const report = await bench.pass()
    expect(report.problem).to.equal(undefined)
    expect(report.jobs.map(({outcome}) => outcome)).to.deep.equal(['not_started', 'succeeded'])
    expect(report.jobs.map(hasEnded)).to.deep.equal([false, true])
    expect(bench.memory.keptSinceMs).not.to.equal(undefined)
  })

  it('destroys no disk that was attached after its guest was read the last time, however slow rules are', async () => {
    for (let at = 1; at <= 4; at++) {
      const bench = await PassBench.make({mode: 'full'})
      bench.jobs = [await bench.sign(150, job)]
      let asked = 0
      const attached: number[] = []
      bench.rules = [
        () => {
          const guest = bench.bench.sandbox.cluster.guest(150)
          if (++asked !== at || !guest) return undefined
          guest.config['mp5'] = 'local-lvm:vm-150-disk-5,mp=/precious,size=4G'
          attached.push(at)
          return undefined
        },
      ]
      const {jobs} = await bench.pass()
      const wanted = attached.length > 0 ? 'stale' : 'succeeded'
      expect(jobs[0]?.outcome, `attached when asked the ${at}. time`).to.equal(wanted)
    }
  })

  it('is told as it ended, however much was done since', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.jobs = [await bench.sign(150, job)]
    const {guests} = await bench.bench.read()
    const others = guests.filter(({kind, vmid}) => kind === 'lxc' && vmid !== 150)
    let operations = 0
    while (operations < 300) {
      const {jobs, results} = await bench.pass()
      expect(jobs.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
      operations += results.length
      bench.desired = others.map(({vmid}) => desiredGuest(vmid, {memory: String(700 + operations)}))
      await bench.clock.run(bench.clock.sleep(60_000))
    }
  })

  it('is not over because a pass was told to end before it came to it', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.jobs = [await bench.sign(150, job, stranger)]
    const options = {staleAfterMs: DAY_MS, trustWarningMs: DAY_MS}
    const {memory} = findAlerts(NOTHING_TOLD, await bench.pass(), options)
    expect(Object.keys(memory.open)).to.deep.equal(['job_ended:idle'])
    const refusals = bench.kept?.jobRefusals
    bench.desired = [desiredGuest(101, {memory: '778'})]
    bench.bench.fault = ({method}) => {
      if (method === 'PUT') bench.stop.abort('SIGTERM')
      return undefined
    }
    expect(findAlerts(memory, await bench.pass(), options).alerts).to.deep.equal([])
    expect(bench.kept?.jobRefusals).to.deep.equal(refusals)
  })

  it('has not ended while its guest or its snapshot is not seen, and is carried out once it is', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.jobs = [
      await bench.sign(150, job),
      await bench.sign(102, {type: 'snapshot-delete', snapshot: 'later'}),
    ]
    bench.turn('pve2', false)
    const away = await bench.pass()
    expect(away.jobs.map(hasEnded)).to.deep.equal([false, false])
    expect(away.jobs[0]?.detail).to.contain('not complete')
    expect(tellAlerts(away)).to.deep.equal([])
    bench.turn('pve2', true)
    expect((await bench.pass()).jobs.map(({outcome}) => outcome)).to.deep.equal(['succeeded', 'blocked'])
    await bench.clock.run(bench.clock.sleep(25 * 3_600_000))
    const late = await bench.pass()
    expect(late.jobs.map(hasEnded), 'it can no longer be done').to.deep.equal([true, true])
  })

  it('has not ended when it failed before anything was sent for it, and is carried out later', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.jobs = [await bench.sign(150, job)]
    bench.bench.fault = ({path}) =>
      path.endsWith('/lxc/150/status/current') ? {kind: 'status', when: 'before', status: 500} : undefined
    const failed = await bench.pass()
    expect(failed.jobs[0]).to.include({outcome: 'failed'})
    expect(failed.jobs.map(hasEnded)).to.deep.equal([false])
    expect(tellAlerts(failed)).to.deep.equal([])
    expect(judgePass(failed)).to.equal('apply_failed')
    bench.bench.fault = () => undefined
    await bench.clock.run(bench.clock.sleep(MINUTE_MS))
    expect((await bench.pass()).jobs.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
  })

  it('says what failed ahead of it, and waits for the next pass', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.jobs = [await bench.sign(102, job)]
    bench.bench.fault = ({path}) =>
      path.endsWith('/status/shutdown') ? {kind: 'status', when: 'before', status: 403} : undefined
    const report = await bench.pass()
    expect(report.jobs[0]).to.include({outcome: 'failed'})
    expect(report.jobs[0]?.detail).to.match(/^shutdown before it: .*403/)
    expect(report.jobs.map(hasEnded)).to.deep.equal([false])
    expect(judgePass(report)).to.equal('apply_failed')
    bench.bench.fault = () => undefined
    await bench.clock.run(bench.clock.sleep(MINUTE_MS))
    expect((await bench.pass()).jobs.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
  })

  it('that keeps failing ahead of its own is tried less and less often, across processes too', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.jobs = [await bench.sign(102, job)]
    bench.bench.fault = ({path}) =>
      path.endsWith('/status/shutdown') ? {kind: 'status', when: 'before', status: 403} : undefined
    const tried: number[] = []
    for (let minute = 0; minute < 16; minute++) {
      const [result] = (await bench.pass()).jobs
      if (bench.sent().length > 0) tried.push(minute)
      else expect(result).to.include({outcome: 'blocked'})
      expect(result?.detail).to.contain(bench.sent().length > 0 ? 'shutdown before it' : 'is tried again')
      if (minute % 3 === 0) bench.restart()
      await bench.clock.run(bench.clock.sleep(MINUTE_MS))
    }
    expect(tried).to.deep.equal([0, 1, 3, 7, 15])
    bench.memory.forgetBackOffs()
    bench.bench.fault = () => undefined
    expect((await bench.pass()).jobs.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
  })
})
