// One daemon process of a simulated day, from its start to its end or its death: the real loop, pass, keeper of the
// source, gate and logs, in a world whose disk, network, lock and clock are simulated.
import {makeSourceKeeper} from '../../src/lib/app/daemon/source/keep-source.ts'
import {PassMemory, type PassWorld} from '../../src/lib/app/daemon/pass-world.ts'
import type {MakePass, SourceKeeper} from '../../src/lib/app/daemon/ports.ts'
import {runLoop, type LoopEnd} from '../../src/lib/app/daemon/run-loop.ts'
import {runPass} from '../../src/lib/app/daemon/run-pass.ts'
import {WakeUp} from '../../src/lib/app/daemon/wake-up.ts'
import {findTrust} from '../../src/lib/app/gate/gate-trust-store.ts'
import {openGate} from '../../src/lib/app/gate/open-gate.ts'
import type {OpenState} from '../../src/lib/app/state/open-state.ts'
import type {Clock} from '../../src/lib/engine/ports.ts'
import {FelhomError} from '../../src/lib/model/felhom-error.ts'
import {createReader} from '../../src/lib/pve/read.ts'
import type {Settings} from '../../src/lib/settings/settings.ts'
import {openAudit} from '../../src/lib/store/audit/open-audit.ts'
import {KeptSourceFiles} from '../../src/lib/store/kept-source.ts'
import {openNonces} from '../../src/lib/store/nonces/open-nonces.ts'
import {readSuspensions} from '../../src/lib/store/suspensions.ts'
import {HOST} from '../support/gate-bench.ts'
import {
  describePlan,
  observeJournal,
  observeWriter,
  openStore,
  processClock,
  STATE_DIR,
} from './apply-pass.ts'
import type {Hub} from './daemon-hub.ts'
import type {DaemonPolicy} from './daemon-policies.ts'
import type {DaemonWatch} from './daemon-watch.ts'
import {overlay} from './policies.ts'
import type {ProcessLife} from './process-life.ts'
import {OUR_TOKEN} from './sim-proxmox.ts'
import type {World} from './world.ts'

export interface DaemonPlace {
  readonly world: World
  readonly hub: Hub
  readonly watch: DaemonWatch
  readonly policy: DaemonPolicy
  /** As the settings file says now; throws when it holds a mistake. */
  readSettings(): Settings
}

const ENDPOINT = 'https://pve1:8006'
const LOCK_TIMEOUT_MS = 30_000
/** Small, so that a day sees several. */
const SEGMENT_BYTES = 20_000

/** The real one knows no parts of a millisecond. */
function wholeClock(world: World, life: ProcessLife): Clock {
  const clock = processClock(world, life)
  return {now: () => Math.floor(clock.now()), sleep: (ms, signal) => clock.sleep(ms, signal)}
}

export class DaemonProcess {
  readonly life: ProcessLife
  readonly stop = new AbortController()
  readonly wakeUp = new WakeUp()
  readonly #place: DaemonPlace
  readonly #memory = new PassMemory()
  #pass: PassWorld

  constructor(place: DaemonPlace) {
    this.#place = place
    const settings = place.readSettings()
    this.life = place.world.newProcess()
    place.watch.begins(this.life, settings.daemon)
    this.#pass = this.#openWorld(settings)
  }

  async run(): Promise<LoopEnd> {
    const {world, policy} = this.#place
    const jitter = world.random.stream(`jitter ${String(this.life.id)}`)
    const makePass: MakePass = (pass) => this.#makePass(pass)
    return runLoop({
      clock: wholeClock(world, this.life),
      random: () => jitter.next(),
      makePass: policy.makePass?.(makePass, world) ?? makePass,
      pace: () => this.#pass.settings.daemon,
      reload: () => {
        this.#reload()
        return Promise.resolve()
      },
      ended: () => undefined,
      progress: () => undefined,
      once: false,
      wakeUp: this.wakeUp,
      stop: this.stop.signal,
    })
  }

  async #makePass(pass: number): Promise<Awaited<ReturnType<MakePass>>> {
    const {world, watch, policy} = this.#place
    policy.memory?.(this.#memory)
    watch.passBegins(this.life)
    const report = await runPass(pass, this.#pass, this.#memory)
    if (!this.life.isAlive) return report
    watch.passEnds(this.life, report, this.#memory, this.stop.signal)
    world.noteDisarmed(report.disarmed)
    for (const {outcome} of report.results) world.oracle.count(`outcome ${outcome}`)
    for (const {outcome} of report.jobs) world.oracle.count(`job ${outcome}`)
    world.trace(() => {
      const plan = report.plan ? describePlan(report.plan) : 'no plan'
      const jobs = report.jobs.map(({op, outcome, detail = ''}) => ` | ${op} ${outcome} ${detail}`).join('')
      const problem = report.problem ? ` ${report.problem.code}: ${report.problem.message}` : ''
      return `    daemon ${String(this.life.id)} pass ${pass}: ${report.permission} ${report.source?.state ?? 'unasked'} ${plan}${problem}${jobs}`
    })
    return report
  }

  /** Either all of the new settings, or the old ones. */
  #reload(): void {
    const {watch, policy, world} = this.#place
    try {
      const settings = this.#place.readSettings()
      watch.reloads(this.life, settings.daemon)
      world.oracle.count('reload')
      if (policy.ignoresReload) return
      this.#pass = this.#openWorld(settings)
      this.#memory.backOffs.forgetAll()
    } catch {
      world.oracle.count('reload refused')
    }
  }

  #openWorld(settings: Settings): PassWorld {
    const {world, policy} = this.#place
    const {life} = this
    const clock = wholeClock(world, life)
    const hex = world.random.stream(`hex ${String(life.id)}`)
    const warn = (text: string): void => {
      world.trace(() => `    daemon warns: ${text}`)
    }
    const pass: PassWorld = {
      ...{settings, clock, env: {}, stop: this.stop.signal},
      keeper: this.#openKeeper(settings),
      openAccess: () =>
        Promise.resolve({
          reader: createReader(world.network.reads(life)),
          writer: observeWriter(world, life),
          tokenId: OUR_TOKEN,
          endpoint: ENDPOINT,
          close: () => Promise.resolve(),
        }),
      openState: () => this.#openState(),
      openGate: ({state, access, carried, withhold}) => {
        this.#recovered()
        const {journal} = state
        const gate = {settings, stores: state, snapshots: access.reader, approvalFiles: [], journal, clock}
        return Promise.resolve(
          openGate({...gate, disarmed: () => journal.disarmed(), ...{warn, carried, withhold}}),
        )
      },
      openInspector: (gate) => ({
        inspect: (request) => gate.inspect(request),
        readTrust: () => findTrust(settings, clock.now()),
      }),
      readSuspensions: () => readSuspensions(settings.state, clock.now()),
      readTrust: () => findTrust(settings, clock.now()),
      tell: (event) => {
        if (event.type === 'warning') warn(event.text)
        if (event.type === 'recovered')
          this.#place.watch.recovered(
            life,
            event.decisions.map(({op}) => op),
          )
        if (event.type === 'job_ended') world.oracle.count('job told')
      },
      randomHex: (digits) => Array.from({length: digits}, () => hex.below(16).toString(16)).join(''),
    }
    return policy.pass?.(pass) ?? pass
  }

  #openKeeper(settings: Settings): SourceKeeper {
    const {world, hub, policy} = this.#place
    const options = {
      source: hub.forProcess(this.life),
      store: new KeptSourceFiles(settings.state),
      maxShrink: settings.daemon.maxShrink,
      secretsDir: undefined,
      clock: wholeClock(world, this.life),
    }
    const keeper = makeSourceKeeper(policy.keeper?.(options) ?? options)
    return {
      ask: (signal) => keeper.ask(signal),
      settle: () => {
        this.life.assertAlive()
        hub.settles(this.life)
        return keeper.settle()
      },
    }
  }

  async #openState(): Promise<OpenState> {
    const {world, policy} = this.#place
    const {life} = this
    if (!policy.takesNoLock && !(await life.step('lock', () => world.lock.acquire(life, LOCK_TIMEOUT_MS))))
      throw new FelhomError('journal_locked', 'another instance holds the lock')
    try {
      return await this.#openStores()
    } catch (error) {
      world.lock.release(life)
      throw error
    }
  }

  async #openStores(): Promise<OpenState> {
    const {world, watch} = this.#place
    const {life} = this
    world.oracle.passBegins(life)
    const place = {
      disk: world.disk.forProcess(life),
      dir: STATE_DIR,
      clock: wholeClock(world, life),
      warn: () => undefined,
      segmentBytes: SEGMENT_BYTES,
    }
    const nonces = await openNonces(place)
    const audit = await openAudit(place)
    const store = await openStore(world, life)
    const journal = overlay(store, observeJournal(world, store))
    watch.opened(
      life,
      store.openOperations().map(({intent}) => intent.op),
    )
    world.oracle.recovers(life, true)
    const close = async (): Promise<void> => {
      world.oracle.recovers(life, false)
      await Promise.allSettled([store.close(), audit.close(), nonces.close()])
      world.lock.release(life)
    }
    return {nonces, audit, host: HOST, journal, dir: STATE_DIR, close}
  }

  #recovered(): void {
    this.#place.world.oracle.recovers(this.life, false)
    this.#place.watch.goesOn(this.life)
  }
}
