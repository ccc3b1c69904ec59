// The signals of a daemon: TERM lets what runs end within its time, a second one ends it at once, HUP has it read its
// settings and look again.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {fileURLToPath} from 'node:url'
import {expect} from 'chai'
import {FaultLab, resultOf} from './fault-lab.ts'
import {manyGuestsSeed, manyGuestsWish} from './many-guests.ts'
import {countRecords, startFelhom, untilSo, type StartedProcess} from './started-process.ts'

const [GUESTS, AT_ONCE] = [5, 3]
const FOREVER_SECONDS = 100_000
const HOLD_LOCK = fileURLToPath(new URL('../support/hold-lock.ts', import.meta.url))

describe('felhom daemon, sent a signal', function () {
  this.timeout(120_000)
  let lab: FaultLab
  before(async () => {
    lab = await FaultLab.start(manyGuestsSeed({guests: GUESTS, nodes: 1, startDelaySeconds: FOREVER_SECONDS}))
  })
  after(() => lab.stop())
  const started: StartedProcess[] = []
  afterEach(() => {
    for (const {child} of started.splice(0)) child.kill('SIGKILL')
  })
  beforeEach(async () => {
    await lab.lab.renew()
    lab.lab.write('guests.yaml', manyGuestsWish(GUESTS))
    await lab.lab.sandbox.control({startDelaySeconds: FOREVER_SECONDS})
  })

  const settings = (daemon: string): string =>
    lab.lab.write(
      'felhom.yaml',
      `felhom: 1\ndesired: guests.yaml\nlimits: {writes_per_node: ${AT_ONCE}}\ndaemon: ${daemon}\n`,
    )
  const startDaemon = (): StartedProcess => {
    const daemon = startFelhom(['daemon'], {cwd: lab.lab.dir, env: lab.env})
    started.push(daemon)
    return daemon
  }
  const startAndWait = async (): Promise<StartedProcess> => {
    const run = startDaemon()
    await untilSo('its tasks run', run, () => countRecords(lab.lab.dir, 'task_running') === AT_ONCE)
    return run
  }
  const letThemEnd = (): Promise<unknown> => lab.lab.sandbox.control({startDelaySeconds: 0})
  const untilEnded = async (): Promise<void> => {
    const path = '/nodes/pve1/tasks?source=active'
    const isRunning = ({endtime}: {endtime?: number}): boolean => endtime === undefined
    while (((await lab.lab.sandbox.call('GET', path)) as {endtime?: number}[]).some(isRunning))
      await sleep(20)
  }
  const openOperations = async (): Promise<number> => {
    const inflight = await lab.felhom(['journal', 'inflight', '--json'])
    const {operations} = resultOf<{operations: unknown[]}>(inflight)
    expect(inflight.code).to.equal(operations.length === 0 ? 0 : 5)
    return operations.length
  }
  /** The next start settles what is open and does the rest, each once. */
  const finish = async (): Promise<void> => {
    await untilEnded()
    const next = await lab.felhom(['daemon', '--once', '--mode', 'benign'])
    expect(next.code, next.stderr).to.equal(0)
    expect(await openOperations()).to.equal(0)
    const starts = Array.from({length: GUESTS}, (_, i) => [`vzstart:${101 + i}`, 1])
    expect(await lab.effects()).to.deep.equal(Object.fromEntries(starts))
  }
  /** Whatever it says next, it says because of the signal. */
  const untilStopping = (run: StartedProcess): Promise<void> => untilSaid(run, '')

  it('TERM: waits for the tasks that run, starts nothing more, and exits with 0', async () => {
    settings('{mode: benign, stop_timeout: 5m}')
    const run = await startAndWait()
    const stopping = untilStopping(run)
    run.child.kill('SIGTERM')
    await stopping
    await letThemEnd()
    const {code, stderr} = await run.ended
    expect(code, stderr).to.equal(0)
    expect(await openOperations()).to.equal(0)
    expect(Object.keys(await lab.effects())).to.have.lengthOf(AT_ONCE)
    await finish()
  })

  it('TERM: leaves to the journal what takes longer than stop_timeout, and exits with 0', async () => {
    settings('{mode: benign, stop_timeout: 300ms}')
    const run = await startAndWait()
    run.child.kill('SIGTERM')
    const {code, stderr} = await run.ended
    expect(code, stderr).to.equal(0)
    expect(await openOperations()).to.equal(AT_ONCE)
    await letThemEnd()
    await finish()
  })

  it('TERM, twice: ends at once, and the journal has what runs', async () => {
    settings('{mode: benign, stop_timeout: 5m}')
    const run = await startAndWait()
    const stopping = untilStopping(run)
    run.child.kill('SIGTERM')
    await stopping
    run.child.kill('SIGTERM')
    const {code, stderr} = await run.ended
    expect(code, stderr).to.equal(143)
    expect(await openOperations()).to.equal(AT_ONCE)
    await letThemEnd()
    await finish()
  })

  it('TERM between two passes, or while another holds the lock: exits with 0', async () => {
    settings('{mode: observe, interval: 1h}')
    const idle = startDaemon()
    await untilSo('it has looked', idle, () => existsSync(join(lab.lab.dir, '.felhom/journal/00000001.log')))
    idle.child.kill('SIGTERM')
    expect((await idle.ended).code).to.equal(0)
    const holder = spawn(
      process.execPath,
      ['--import', 'tsx', HOLD_LOCK, join(lab.lab.dir, '.felhom'), '0'],
      {stdio: ['ignore', 'pipe', 'inherit']},
    )
    try {
      await once(holder.stdout, 'data')
      const waiting = startDaemon()
      await untilSaid(waiting, 'felhom test')
      waiting.child.kill('SIGTERM')
      const {code, stderr} = await waiting.ended
      expect(code, stderr).to.equal(0)
    } finally {
      holder.kill('SIGKILL')
    }
  })

  it('HUP: takes the new mode and acts at once; with a mistake in the settings it keeps the old ones', async () => {
    await letThemEnd()
    settings('{mode: observe, interval: 1h}')
    const run = startDaemon()
    await untilSo('it has looked', run, () => existsSync(join(lab.lab.dir, '.felhom/journal/00000001.log')))
    settings('{mode: benign, interval: 1h}')
    run.child.kill('SIGHUP')
    const succeeded = (): number => countRecords(lab.lab.dir, 'succeeded')
    await untilSo('all run', run, () => succeeded() === GUESTS)
    expect(Object.keys(await lab.effects())).to.have.lengthOf(GUESTS)

    await lab.lab.sandbox.call('POST', '/nodes/pve1/lxc/101/status/stop')
    await untilSo('it is stopped', run, async () => (await lab.lab.status('lxc', 101)) === 'stopped')
    settings('{mode: reckless, interval: 1h}')
    run.child.kill('SIGHUP')
    await untilSo('it runs again', run, () => succeeded() === GUESTS + 1)
    run.child.kill('SIGTERM')
    const {code, stderr} = await run.ended
    expect(code, stderr).to.equal(0)
  })
})

function untilSaid(run: StartedProcess, text: string): Promise<void> {
  let said = ''
  run.child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  return untilSo(`it says ${text}`, run, () => said !== '' && said.includes(text))
}
