// Days of a daemon on one small cluster, from a seed: storms and calm, a source in changing moods, people beside it,
// other settings by reload, restarts and deaths. At the end of each day everything must have come to rest.
import type {LoopEnd} from '../../src/lib/app/daemon/run-loop.ts'
import type {PassReport} from '../../src/lib/model/daemon.ts'
import type {Blocker} from '../../src/lib/model/plan.ts'
import type {Settings} from '../../src/lib/settings/settings.ts'
import {drawDaemon, withShortHours} from './daemon-hours.ts'
import {Hub, MOODS} from './daemon-hub.ts'
import {DaemonOperator} from './daemon-operator.ts'
import type {DaemonPolicy} from './daemon-policies.ts'
import {DaemonProcess} from './daemon-process.ts'
import {inDaemonPlace} from './daemon-settings.ts'
import {measureSteady, type Steady} from './daemon-steady.ts'
import {DaemonWatch} from './daemon-watch.ts'
import {clearUp, unfold} from './events.ts'
import type {Violation} from './oracle.ts'
import {Random} from './random.ts'
import {drawScenario} from './scenario.ts'
import {calmWeather, StormyWeather, type Trouble} from './weather.ts'
import {World} from './world.ts'

export interface DaysOptions {
  readonly seed: number
  readonly days: number
  /** A day has 24 of them; fewer for a quick look. */
  readonly hoursPerDay?: number
  readonly policy?: DaemonPolicy
  readonly trace?: (text: string) => void
  readonly onDay?: (day: number) => void
}

export interface DaysResult {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly counts: ReadonlyMap<string, number>
  /** One an hour. */
  readonly samples: readonly Steady[]
}

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000]
/** A day before summer time begins, and one before it ends, in Berlin. */
const STARTS = [Date.UTC(2027, 2, 27, 14), Date.UTC(2027, 9, 30, 14)]
/** These end a journal, which is another story, or make signatures worthless by the clock. */
const SPARED: ReadonlySet<Trouble> = new Set(['bit flipped', 'old state restored', 'clock jumps'])
/** With which a pass may honestly fail while things are broken. */
const HONEST = new Set([
  ...['journal_failed', 'journal_locked', 'unreachable', 'connection_lost', 'timeout', 'bad_answer'],
  ...['gateway_failed', 'gateway_timeout', 'node_unreachable', 'proxmox_error', 'no_quorum', 'forbidden'],
])

export function runDays({
  seed,
  days,
  hoursPerDay = 24,
  policy = {},
  trace,
  onDay,
}: DaysOptions): Promise<DaysResult> {
  const random = new Random(seed)
  const world = new World({
    random,
    scenario: drawScenario(random.stream('scenario')),
    weather: calmWeather,
    startMs: STARTS[seed % 2] ?? 0,
    ...(trace && {trace}),
  })
  world.disk.mayLeaveHoles = false
  return inDaemonPlace(world, async (base) => {
    const life = new DaemonLife(world, policy, base)
    await world.clock.run(life.live(days, hoursPerDay, onDay))
    const {violations, counts} = world.oracle
    return {seed, violations, counts, samples: life.samples}
  })
}

class DaemonLife {
  readonly samples: Steady[] = []
  readonly #world: World
  readonly #random: Random
  readonly #hub: Hub
  readonly #watch: DaemonWatch
  readonly #operator: DaemonOperator
  readonly #policy: DaemonPolicy
  readonly #base: Settings
  #settings: Settings
  #isFileBroken = false
  #process: DaemonProcess | undefined
  #isOver = false
  #calmSinceMs = 0

  constructor(world: World, policy: DaemonPolicy, base: Settings) {
    this.#world = world
    this.#policy = policy
    this.#random = world.random.stream('days')
    this.#base = base
    this.#settings = base
    this.#hub = new Hub(world)
    this.#watch = new DaemonWatch(world, this.#hub)
    this.#operator = new DaemonOperator({world, hub: this.#hub, watch: this.#watch, stateDir: base.state})
  }

  async live(days: number, hoursPerDay: number, onDay?: (day: number) => void): Promise<void> {
    const supervised = this.#supervise()
    // The first revision is taken in peace: before it nothing is known that could be lost.
    await this.#world.clock.sleep(2 * MINUTE_MS)
    for (let day = 1; day <= days && !this.#hasEnded(); day++) {
      for (let hour = 0; hour < hoursPerDay && !this.#hasEnded(); hour++) await this.#hour()
      if (!this.#hasEnded()) await this.#rest()
      onDay?.(day)
    }
    this.#isOver = true
    this.#process?.stop.abort('over')
    await Promise.race([supervised, this.#world.clock.sleep(HOUR_MS)])
  }

  #hasEnded(): boolean {
    return this.#isOver || this.#world.isOver
  }

  /** As a service manager does it. */
  async #supervise(): Promise<void> {
    const {clock, oracle} = this.#world
    while (!this.#hasEnded()) {
      const daemon = this.#openProcess()
      if (daemon) {
        oracle.count('process')
        this.#process = daemon
        const {life} = daemon
        const end = await Promise.race([daemon.run(), life.died])
        this.#judgeEnd(end)
        life.kill('crash')
        this.#world.processEnds(life)
        this.#watch.ends(life)
      }
      await clock.sleep(this.#random.pick([500, 10_000, 90_000]))
    }
  }

  /** Undefined: it does not start with a mistake in its settings. */
  #openProcess(): DaemonProcess | undefined {
    if (this.#isFileBroken) return undefined
    return new DaemonProcess({
      ...{world: this.#world, hub: this.#hub, watch: this.#watch, policy: this.#policy},
      readSettings: () => {
        if (this.#isFileBroken) throw new Error('the settings hold a mistake')
        return this.#settings
      },
    })
  }

  #judgeEnd(end: LoopEnd | string): void {
    const {oracle} = this.#world
    if (typeof end === 'string') {
      oracle.count(`death by ${end}`)
      return
    }
    oracle.count(`end ${end.reason}${end.reason === 'stopped' && !end.isDrained ? ' with tasks left' : ''}`)
    if (end.reason !== 'broken') return
    const {code = 'none', message = ''} = end.report.problem ?? {}
    const isStorm = this.#world.clock.now() - this.#calmSinceMs < 2 * MINUTE_MS
    if (code !== 'journal_failed' || !isStorm)
      oracle.violate('bug', `the daemon gave up: ${code}: ${message}`)
  }

  async #hour(): Promise<void> {
    const {clock, oracle} = this.#world
    const random = this.#random
    const acts: Promise<void>[] = []
    const maybe = (probability: number, act: () => Promise<void> | void): void => {
      if (!random.chance(probability)) return
      acts.push(clock.sleep(random.between(0, 50 * MINUTE_MS)).then(act))
    }
    maybe(0.6, () => this.#storm())
    maybe(0.6, () => this.#upsetSource())
    maybe(0.5, () => {
      this.#hub.publish()
    })
    maybe(0.6, () => this.#reload(drawDaemon(this.#base.daemon, random)))
    maybe(0.4, () => this.#slowDown())
    maybe(0.1, () => this.#breakSettings())
    maybe(0.5, () => this.#operator.sign())
    maybe(0.3, () => {
      this.#operator.suspend()
    })
    maybe(0.4, () => this.#operator.resume())
    maybe(0.3, () => this.#applyBeside())
    maybe(0.15, () => {
      this.#process?.stop.abort('SIGTERM')
    })
    for (let minutes = 0; minutes < 60; minutes += random.between(3, 15))
      acts.push(clock.sleep(minutes * MINUTE_MS).then(() => this.#drift()))
    await Promise.all([clock.sleep(HOUR_MS), ...acts])
    if (this.#world.isDisarmed) await this.#operator.clearAway()
    oracle.forgetSettled(clock.now() - HOUR_MS)
    this.#hub.forgetDead()
    this.samples.push(measureSteady())
  }

  async #storm(): Promise<void> {
    const {world} = this
    if (this.#calmSinceMs === Infinity) return
    const weather = new StormyWeather(this.#random.stream(`storm ${String(world.clock.now())}`), SPARED)
    world.weather = weather
    this.#calmSinceMs = Infinity
    world.oracle.count('storm')
    const startInstance = (): void => {
      void this.#applyBeside()
    }
    void unfold({world, weather, random: this.#random.stream('events'), startInstance})
    await world.clock.sleep(this.#random.between(3, 20) * MINUTE_MS)
    // It does no more harm; what it did may come to light a little later.
    weather.isOver = true
    this.#calmSinceMs = world.clock.now()
    clearUp(world)
  }

  /** Tasks take a minute or two, so that a pass outlives the hour in which it began. */
  async #slowDown(): Promise<void> {
    const {proxmox, clock} = this.#world
    const slowness = this.#random.pick([30, 60, 120])
    proxmox.slowness = slowness
    if (this.#random.chance(0.7)) this.#reload(withShortHours(this.#base.daemon))
    for (let turn = 0; turn < 6; turn++) {
      await clock.sleep(this.#random.between(1, 3) * MINUTE_MS)
      // A storm that has passed has set it right.
      proxmox.slowness = slowness
      if (turn % 3 === 0) await this.#loseGuest()
      else await this.#drift()
    }
    proxmox.slowness = 1
  }

  /**
   * Somebody has destroyed a guest that is to run: to make it again takes two requests, one long after the other. And
   * somebody else may want it left alone by then.
   */
  async #loseGuest(): Promise<void> {
    const {proxmox, oracle, clock, random} = this.#world
    const wanted = this.#hub.wish.guests.filter(({create, run}) => create && run === 'running')
    if (wanted.length === 0) return
    const {slot} = this.#random.pick(wanted)
    oracle.count('guest lost')
    if (proxmox.runningTasks().every(({id}) => id !== String(slot.vmid)))
      proxmox.state.guests.delete(slot.vmid)
    oracle.sample()
    const other = random.stream(`left alone ${String(clock.now())}`)
    if (!other.chance(0.4)) return
    await clock.sleep(other.between(1, 3) * MINUTE_MS)
    this.#operator.leaveAlone(slot.vmid, 5)
  }

  async #upsetSource(): Promise<void> {
    const mood = this.#random.pick(MOODS)
    if (mood === 'rolled back') {
      // There must be something to go back from.
      this.#hub.publish()
      await this.#world.clock.sleep(3 * MINUTE_MS)
    }
    this.#hub.mood = mood
    await this.#world.clock.sleep(this.#random.between(2, 25) * MINUTE_MS)
    this.#hub.mood = 'good'
  }

  #reload(daemon: Settings['daemon']): void {
    this.#settings = {...this.#base, daemon}
    this.#process?.wakeUp.ring()
  }

  async #breakSettings(): Promise<void> {
    this.#isFileBroken = true
    this.#process?.wakeUp.ring()
    await this.#world.clock.sleep(2 * MINUTE_MS)
    this.#isFileBroken = false
  }

  async #applyBeside(): Promise<void> {
    this.#world.desired = this.#hub.read()
    await this.#operator.apply()
  }

  /** Somebody turns a knob. */
  async #drift(): Promise<void> {
    const {proxmox, scenario, oracle} = this.#world
    const slot = this.#random.pick(scenario.managed)
    const guest = proxmox.guest(slot.vmid)
    if (!guest) return
    oracle.count('drift')
    const path = `/nodes/${guest.node}/${guest.kind}/${String(guest.vmid)}`
    if (this.#random.chance(0.3)) {
      await proxmox.ask('POST', `${path}/status/${guest.runtime.status === 'running' ? 'stop' : 'start'}`)
      return
    }
    const form = this.#random.pick([{memory: '640'}, {description: 'theirs'}, {cores: '4'}])
    await proxmox.ask('PUT', `${path}/config`, form)
  }

  get world(): World {
    return this.#world
  }

  /** Nothing goes wrong any more and all is allowed: so all that is desired comes to be, or is told to be impossible. */
  async #rest(): Promise<void> {
    const {clock, oracle} = this.#world
    this.#hub.mood = 'good'
    this.#reload({...this.#base.daemon, mode: 'full', windows: []})
    await clock.sleep(5 * MINUTE_MS)
    this.#world.weather = calmWeather
    await this.#operator.resume()
    let unrest = ['nothing was seen']
    for (let minutes = 0; minutes < MOST_REST_MINUTES && unrest.length > 0; minutes += 5) {
      await clock.sleep(5 * MINUTE_MS)
      if (this.#world.isOver) return
      if (minutes % 30 === 25 || this.#world.isDisarmed) await this.#operator.clearAway()
      unrest = this.#findUnrest(this.#watch.lastReport)
    }
    if (unrest.length > 0) oracle.violate('G4', unrest.join('; '))
    else oracle.count('came to rest')
  }

  #findUnrest(report: PassReport | undefined): string[] {
    if (!report) return ['no pass was made']
    const {problem, plan, open} = report
    if (problem && !HONEST.has(problem.code))
      this.#world.oracle.violate('bug', `${problem.code}: ${problem.message}`)
    if (problem) return [`the pass failed: ${problem.message}`]
    if (!plan || !this.#hub.isTaken) return ['the last revision was not taken']
    const frozen = new Set(open.map(({intent}) => intent.target.vmid))
    return [
      ...open
        .filter(({state}) => state !== 'quarantined')
        .map(({intent, state}) => `${intent.op} (${intent.body.type}) is still ${state}`),
      ...plan.guests
        .filter(({vmid}) => !frozen.has(vmid))
        .flatMap(({vmid, actions}) =>
          actions
            .filter(({blockers}) => blockers.every(isPassing))
            .map(({type, why}) => `${String(vmid)} still needs ${type}: ${why}`),
        ),
    ]
  }
}

const MOST_REST_MINUTES = 180
/** Blockers that a day at rest has no reason for; what is written wrongly stays undone. */
const isPassing = ({code, message}: Blocker): boolean =>
  code === 'suspended' || code === 'backing_off' || (code === 'withheld' && !message.includes('has an error'))
