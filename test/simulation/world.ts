// Everything outside of felhom in one place: time, felhom's machine, the network, Proxmox, the operator, and the
// oracle that watches. A process gets its ports from here and nothing else.
import type {Gate, GateRequest} from '../../src/lib/gate/gate.ts'
import type {DesiredState} from '../../src/lib/model/desired.ts'
import {identifyGuest, isSameIdentity, type GuestIdentity} from '../../src/lib/model/identity.ts'
import type {Intent} from '../../src/lib/model/operation.ts'
import type {SnapshotWish} from '../../src/lib/plan/plan-snapshot.ts'
import type {JournalStore} from '../../src/lib/store/open-journal.ts'
import {VirtualClock} from '../../src/lib/sandbox/clock.ts'
import {MachineLock} from './machine-lock.ts'
import {Oracle} from './oracle.ts'
import type {Policy} from './policies.ts'
import {ProcessLife} from './process-life.ts'
import {Random} from './random.ts'
import {drawDesired, type Scenario} from './scenario.ts'
import {SimDisk} from './sim-disk.ts'
import {SimNetwork, type Answer} from './sim-network.ts'
import {SimProxmox} from './sim-proxmox.ts'
import type {Weather} from './weather.ts'

/** An order to destroy, or to lose a snapshot, signed by the operator: it is good for this guest, and for once. */
export interface SignedJob {
  readonly key: string
  readonly vmid: number
  readonly identity: GuestIdentity
  /** Absent: the guest itself is to be destroyed. */
  readonly wish?: SnapshotWish
}

export interface WorldOptions {
  readonly random: Random
  readonly scenario: Scenario
  readonly weather: Weather
  readonly policy?: Policy
  readonly trace?: (text: string) => void
  /** Epoch milliseconds at which it begins; absent: the clock's own. */
  readonly startMs?: number
}

export class World {
  readonly clock: VirtualClock
  readonly random: Random
  readonly scenario: Scenario
  readonly policy: Policy
  readonly disk: SimDisk
  readonly proxmox: SimProxmox
  readonly network: SimNetwork
  readonly oracle: Oracle
  readonly lock: MachineLock
  readonly jobs = new Map<number, SignedJob>()
  desired: DesiredState
  weather: Weather
  /** How far the clock on felhom's wall is from the true time. */
  clockOffsetMs = 0
  /** A bit of the journal was flipped: from now on it must say so. */
  isJournalDamaged = false
  /** A power loss left a file that cannot be told from a damaged one. */
  mayLookDamaged = false
  taskTimeoutMs = 600_000
  /** An old state directory was put back, or a clock put forward: there may be tasks that the journal cannot know. */
  mayBeDisarmed = false
  /** Told of every request that leaves, and by whom. */
  onSent: (life: ProcessLife, intent: Intent) => void = () => undefined
  /** Told of every request that Proxmox has answered or died over, whatever the sender learns. */
  onHandled: (intent: Intent, answer: Answer | undefined) => void = () => undefined
  readonly #trace: ((text: string) => void) | undefined
  readonly #startMs: number
  readonly #operator: Random
  readonly #upkeep: Random
  readonly #alive = new Set<ProcessLife>()
  #disarmed: readonly string[] = []
  #processes = 0
  #runs = 0
  #signatures = 0

  constructor({random, scenario, weather, policy, trace, startMs}: WorldOptions) {
    this.clock = new VirtualClock(startMs)
    this.#startMs = this.clock.now()
    this.random = random
    this.scenario = scenario
    this.policy = policy ?? {}
    this.weather = weather
    this.#trace = trace
    this.#operator = random.stream('operator')
    this.#upkeep = random.stream('upkeep')
    this.lock = new MachineLock(this.clock)
    this.disk = new SimDisk((ms) => this.clock.sleep(ms))
    this.disk.faults = {
      onWrite: (length) => this.weather.disk.onWrite(length),
      onSync: () => this.weather.disk.onSync(),
    }
    this.proxmox = new SimProxmox(scenario.seed, this.clock, 1 + random.stream('proxmox').below(1_000_000))
    this.network = new SimNetwork(this.#networkHost())
    this.oracle = new Oracle({
      disk: this.disk,
      proxmox: this.proxmox,
      managed: new Set(scenario.managed.map(({vmid}) => vmid)),
      now: () => this.clock.now(),
      holdsLock: (life) => this.lock.holder === life,
      trace: (text) => {
        this.trace(text)
      },
    })
    this.disk.onWrite = (life) => {
      if (this.lock.holder !== life) this.oracle.violate('G6', 'a process wrote without the lock')
    }
    this.proxmox.onMoment = () => {
      this.oracle.sample()
    }
    this.desired = drawDesired(scenario, new Set(), this.#operator)
  }

  /** Something is broken for good: there is nothing more to learn from this life. */
  get isOver(): boolean {
    return this.oracle.violations.length > 0 || this.isJournalDamaged
  }

  trace(text: () => string): void {
    if (!this.#trace) return
    const seconds = ((this.clock.now() - this.#startMs) / 1000).toFixed(3).padStart(9)
    this.#trace(`${seconds} ${text()}`)
  }

  wallClockMs(): number {
    return this.clock.now() + this.clockOffsetMs
  }

  newProcess(): ProcessLife {
    const life: ProcessLife = new ProcessLife(++this.#processes, (moment, step) =>
      this.#dies(life, moment, step),
    )
    this.#alive.add(life)
    return life
  }

  /** It has come to its own end, or died: nobody asks about it any more. */
  processEnds(life: ProcessLife): void {
    this.lock.release(life)
    this.#alive.delete(life)
    this.oracle.processEnds(life)
  }

  nextRunId(): string {
    const stamp = new Date(this.wallClockMs()).toISOString().replace(/[-:]|\.\d+Z/g, '')
    return `${stamp}-${(++this.#runs).toString(16).padStart(4, '0')}`
  }

  /** The machine's power fails, and everything on it with it. */
  powerFails(): void {
    this.trace(() => '  felhom: the power fails')
    for (const life of this.#alive) life.kill('power loss')
    this.#alive.clear()
    const mayLookDamaged = this.disk.losePower(this.random.stream(`power ${String(this.clock.now())}`))
    if (mayLookDamaged) this.mayLookDamaged = true
  }

  /** The operator changes what is wanted, and may sign that a guest shall go. */
  changeMind(): void {
    const {managed} = this.scenario
    const absent = new Set<number>()
    for (const {vmid, kind} of managed) {
      const guest = this.proxmox.guest(vmid)
      if (!guest || guest.kind !== kind || !this.#operator.chance(0.2)) continue
      absent.add(vmid)
      if (this.#operator.chance(0.8)) this.sign(vmid)
    }
    this.desired = drawDesired(this.scenario, absent, this.#operator)
    this.trace(() => `  operator: other wishes${absent.size > 0 ? `, ${[...absent].join()} shall go` : ''}`)
  }

  sign(vmid: number, wish?: SnapshotWish): void {
    const guest = this.proxmox.guest(vmid)
    if (!guest) return
    const identity = identifyGuest(guest, guest.config)
    const key = `nonce-${String(++this.#signatures)}`
    this.jobs.set(vmid, {key, vmid, identity, ...(wish && {wish})})
    this.trace(() => `  operator: signs ${key} for ${String(vmid)}`)
  }

  /** Lets pass what is signed for exactly this guest; everything else is the real gate's. */
  wrapGate(gate: Gate): Gate {
    return {
      authorize: async (request) => {
        const job = this.#signatureFor(request)
        if (!job) return gate.authorize(request)
        this.oracle.authorizes(job.key, job.vmid)
        // No file asks for it again.
        if (job.wish) this.jobs.delete(job.vmid)
        const authorized = {...request, class: 'destructive' as const, key: job.key} as never
        return {allowed: true, authorized}
      },
      preview: async (request) => (this.#signatureFor(request) ? undefined : gate.preview(request)),
    }
  }

  #signatureFor({action, target, guest}: GateRequest): SignedJob | undefined {
    const job = this.jobs.get(target.vmid)
    if (action.type !== (job?.wish?.type ?? 'destroy') || !job || !guest?.config.known) return undefined
    return isSameIdentity(job.identity, identifyGuest(target, guest.config.current)) ? job : undefined
  }

  /** The operator, or a timer, removes what is old; now and then all that can be. */
  async lookAfter(store: JournalStore): Promise<void> {
    if (!this.#upkeep.chance(0.2)) return
    const olderThanMs = this.#upkeep.pick([0, 60_000, 600_000])
    const {removed} = await store.compact({olderThanMs, rotate: this.#upkeep.chance(0.5)})
    if (removed.length > 0) this.oracle.count('compacted')
    this.trace(() => `    journal: ${removed.join(', ')} removed`)
  }

  /** What recover says of tasks that the journal does not know. */
  noteDisarmed(upids: readonly string[]): void {
    if (upids.length > 0) {
      this.oracle.count('disarmed')
      this.trace(() => `    felhom is disarmed: nobody knows ${upids.join(', ')}`)
      if (!this.mayBeDisarmed) this.oracle.violate('G9', `a false alarm: ${upids.join(', ')} should be known`)
    }
    this.#disarmed = upids
  }

  get isDisarmed(): boolean {
    return this.#disarmed.length > 0
  }

  /** The operator has looked at them: old signatures are void from here on. */
  rearm(): void {
    this.#isRearmAsked = true
    this.jobs.clear()
    this.oracle.forgetStrangers()
  }

  async rearmIfAsked(store: JournalStore): Promise<void> {
    if (!this.#isRearmAsked || store.disarmed().length === 0) return
    await store.rearm(store.disarmed())
    this.#isRearmAsked = false
  }

  #isRearmAsked = false

  #dies(life: ProcessLife, moment: 'before' | 'after', step: string): boolean {
    if (!life.isAlive || !this.weather.dies(moment, step)) return false
    this.trace(() => `  felhom ${String(life.id)}: killed ${moment} ${step}`)
    if (this.weather.losesPower())
      queueMicrotask(() => {
        this.powerFails()
      })
    return true
  }

  #networkHost(): ConstructorParameters<typeof SimNetwork>[0] {
    const latency = this.random.stream('latency')
    const jitter = this.random.stream('retry')
    return {
      handle: (request) => this.proxmox.handle(request),
      sleep: (ms) => this.clock.sleep(ms),
      now: () => this.clock.now(),
      random: () => jitter.next(),
      latencyMs: () => latency.between(1, 20),
      // Most reads take no time, for each wait of the clock costs more than the read.
      readLatencyMs: () => (latency.chance(0.25) ? latency.between(1, 60) : 0),
      drawRead: () => this.weather.drawRead(),
      drawWrite: () => this.weather.drawWrite(),
    }
  }
}
