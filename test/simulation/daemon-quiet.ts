// Weeks in which nothing happens: all is as desired but for what nobody has signed for, what is written wrongly and
// jobs that nobody may carry out. Whatever a pass of such a time writes down would be written a million times.
import type {Settings} from '../../src/lib/settings/settings.ts'
import {Hub} from './daemon-hub.ts'
import {DaemonOperator} from './daemon-operator.ts'
import type {DaemonPolicy} from './daemon-policies.ts'
import {DaemonProcess} from './daemon-process.ts'
import {inDaemonPlace} from './daemon-settings.ts'
import {measureSteady, type Steady} from './daemon-steady.ts'
import {DaemonWatch} from './daemon-watch.ts'
import {describeSerial, type Wish} from './daemon-wish.ts'
import type {Violation} from './oracle.ts'
import {Random} from './random.ts'
import {drawScenario} from './scenario.ts'
import {calmWeather} from './weather.ts'
import {World} from './world.ts'

export interface QuietOptions {
  readonly days: number
  readonly policy?: DaemonPolicy
}

export interface QuietResult {
  readonly passes: number
  readonly violations: readonly Violation[]
  readonly samples: readonly Steady[]
  /** Of all logs on disk, when all had come to rest and at the end. */
  readonly bytes: readonly [number, number]
}

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000]
/** Of jobs that come and go before it gets quiet; each stays for some passes. */
const JOBS = 16
const SEED = 5

export function runQuiet({days, policy = {}}: QuietOptions): Promise<QuietResult> {
  const random = new Random(SEED)
  const scenario = drawScenario(random.stream('scenario'))
  const world = new World({random, scenario, weather: calmWeather})
  return inDaemonPlace(world, async (base) => {
    const quiet = new QuietWeeks(world, policy, base)
    await world.clock.run(quiet.live(days))
    const passes = world.oracle.counts.get('pass') ?? 0
    return {passes, violations: world.oracle.violations, samples: quiet.samples, bytes: quiet.bytes}
  })
}

class QuietWeeks {
  readonly samples: Steady[] = []
  bytes: [number, number] = [0, 0]
  readonly #world: World
  readonly #hub: Hub
  readonly #operator: DaemonOperator
  readonly #process: DaemonProcess
  #settings: Settings

  constructor(world: World, policy: DaemonPolicy, base: Settings) {
    this.#world = world
    this.#settings = base
    this.#hub = new Hub(world)
    const watch = new DaemonWatch(world, this.#hub)
    this.#operator = new DaemonOperator({world, hub: this.#hub, watch, stateDir: base.state})
    const readSettings = (): Settings => this.#settings
    this.#process = new DaemonProcess({world, hub: this.#hub, watch, policy, readSettings})
  }

  async live(days: number): Promise<void> {
    const {clock} = this.#world
    this.#hub.publish(this.#wish())
    const running = this.#process.run()
    for (let job = 0; job < JOBS; job++) {
      await this.#operator.sign(true)
      await clock.sleep(1.2 * MINUTE_MS)
    }
    await this.#stayQuiet((days * 24) / 2)
    // The other half only observes, and somebody has turned a knob meanwhile.
    const {daemon} = this.#settings
    this.#settings = {...this.#settings, daemon: {...daemon, mode: 'observe'}}
    this.#process.wakeUp.ring()
    await clock.sleep(5 * MINUTE_MS)
    const [slot] = this.#world.scenario.managed
    const path = slot && `/nodes/${slot.node}/${slot.kind}/${String(slot.vmid)}/config`
    if (path !== undefined) await this.#world.proxmox.ask('PUT', path, {description: 'theirs'})
    await this.#stayQuiet((days * 24) / 2)
    this.#process.stop.abort('over')
    await running
  }

  async #stayQuiet(hours: number): Promise<void> {
    const {clock, oracle} = this.#world
    await clock.sleep(10 * MINUTE_MS)
    const [before, told, sent] = [this.#logBytes(), this.#told(), this.#sent()]
    for (let hour = 0; hour < hours; hour++) {
      await clock.sleep(HOUR_MS)
      this.samples.push(measureSteady())
    }
    this.bytes = [before, this.#logBytes()]
    if (this.#logBytes() !== before)
      oracle.violate('quiet', `the logs grew from ${before} to ${this.#logBytes()} bytes`)
    // Each of them expires once.
    if (this.#told() - told > this.#hub.jobs.length)
      oracle.violate('quiet', `jobs were told of ${this.#told() - told} times`)
    if (this.#sent() !== sent) oracle.violate('quiet', `${this.#sent() - sent} requests were sent`)
  }

  #logBytes(): number {
    return this.#world.disk.files().reduce((sum, [, bytes]) => sum + bytes.length, 0)
  }

  #told(): number {
    return this.#world.oracle.counts.get('job told') ?? 0
  }

  #sent(): number {
    return [...this.#world.oracle.counts].reduce(
      (sum, [what, times]) => (what.startsWith('sent ') ? sum + times : sum),
      0,
    )
  }

  /** The last guest shall go, and nobody signs for it. */
  #wish(): Wish {
    const {managed} = this.#world.scenario
    const serial = 2
    const config = {description: describeSerial(serial)}
    const guests = managed.map((slot, i) => ({
      ...{slot, config, disks: {}},
      isAbsent: i === managed.length - 1,
    }))
    return {serial, guests}
  }
}
