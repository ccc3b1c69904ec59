// One operation, one point at which the process dies, one thing that becomes of the request at Proxmox. What follows
// is calm weather, in which felhom must find out what happened.
import type {DesiredGuest} from '../../src/lib/model/desired.ts'
import type {OperationType} from '../../src/lib/model/operation.ts'
import type {SnapshotWish} from '../../src/lib/plan/plan-snapshot.ts'
import {comeToRest} from './come-to-rest.ts'
import type {Violation} from './oracle.ts'
import {Random} from './random.ts'
import {runProcess} from './run-process.ts'
import {makeScenario, type GuestSlot} from './scenario.ts'
import type {Exchange} from './sim-network.ts'
import {calmWeather, type Weather} from './weather.ts'
import {World} from './world.ts'

/** `ok`: nothing happens but the death of felhom. `late`: Proxmox gets the request half a minute afterwards. */
export const OUTCOMES = ['ok', 'failed', 'killed', 'lost', 'answer lost', 'request lost', 'late'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface CrashCase {
  readonly name: string
  readonly type: OperationType
  readonly slot: GuestSlot
  readonly exists: boolean
  readonly running: boolean
  /** Options that wait for a restart. */
  readonly pending?: Readonly<Record<string, string>>
  readonly desired: DesiredGuest
  /** A snapshot that is there, and what becomes of it. */
  readonly wish?: SnapshotWish
}

export interface CrashPoint {
  readonly outcome: Outcome
  /** How many boundaries after the first append the process dies; undefined: it lives. */
  readonly at: number | undefined
  readonly death: 'crash' | 'power loss'
  /** Every process that recovers is killed one boundary later than the one before it, until one is through. */
  readonly killsRecovery?: boolean
}

export interface CrashResult {
  readonly violations: readonly Violation[]
  /** What the process did after its first append: each boundary that it passed. */
  readonly boundaries: readonly string[]
  /** Operations that are quarantined in the end. */
  readonly quarantined: number
  readonly counts: ReadonlyMap<string, number>
}

const LATE_MS = 30_000
const MID_TASK_MS = 40

export async function runCrashCase(
  crash: CrashCase,
  point: CrashPoint,
  trace?: (text: string) => void,
): Promise<CrashResult> {
  const weather = new CrashWeather(point)
  const world = new World({
    random: new Random(1),
    scenario: makeScenario(crash),
    weather,
    ...(trace && {trace}),
  })
  weather.world = world
  world.desired = {guests: [crash.desired], files: ['guests.yaml']}
  if (crash.type === 'destroy' || crash.wish) world.sign(crash.slot.vmid, crash.wish)
  world.onHandled = (_intent, answer) => {
    world.onHandled = () => undefined
    void befall(world, point.outcome, upidIn(answer?.text))
  }
  await world.clock.run(live(world, weather))
  const {violations, counts} = world.oracle
  const quarantined = world.oracle.open().filter(({state}) => state === 'quarantined').length
  return {violations, boundaries: weather.boundaries, quarantined, counts}
}

/** Where to die: at every boundary; of those that repeat while a task is awaited, at the first two and the last. */
export function choosePoints(boundaries: readonly string[]): number[] {
  const seen = new Map<string, number>()
  const points: number[] = []
  for (const [at, label] of boundaries.entries()) {
    const times = (seen.get(label) ?? 0) + 1
    seen.set(label, times)
    if (times <= 2 || boundaries.lastIndexOf(label) === at) points.push(at)
  }
  return points
}

async function live(world: World, weather: CrashWeather): Promise<void> {
  await runProcess(world, 1)
  weather.beginRecovery()
  while (weather.killsNext()) await runProcess(world, 1)
  await comeToRest(world)
}

const upidIn = (text: string | undefined): string | undefined => /"(UPID:[^"]+)"/.exec(text ?? '')?.[1]

/** What becomes of the task at Proxmox. */
async function befall(world: World, outcome: Outcome, upid: string | undefined): Promise<void> {
  const {proxmox, clock} = world
  if (outcome === 'killed') {
    await clock.sleep(MID_TASK_MS)
    proxmox.losePower(false)
  }
  if (upid === undefined) return
  if (outcome === 'failed') {
    await clock.sleep(MID_TASK_MS)
    proxmox.stopTask(upid)
  }
  if (outcome !== 'lost') return
  const task = proxmox.task(upid)
  while (task && task.exitstatus === undefined) await clock.sleep(10)
  if (task) task.lost = true
}

/** Kills at one boundary, and spoils one request. */
class CrashWeather implements Weather {
  readonly disk = calmWeather.disk
  readonly #point: CrashPoint
  world: World | undefined
  readonly boundaries: string[] = []
  #isRecovery = false
  #killed = 0
  #passed = 0
  #isThrough = false

  constructor(point: CrashPoint) {
    this.#point = point
  }

  beginRecovery(): void {
    this.#isRecovery = true
  }

  /** Whether another process shall begin to recover and be killed. */
  killsNext(): boolean {
    if (this.#point.killsRecovery !== true || this.#isThrough) return false
    this.#isThrough = true
    this.#passed = 0
    this.#killed++
    return true
  }

  dies(moment: 'before' | 'after', step: string): boolean {
    const {oracle} = this.world ?? {}
    if (!oracle) return false
    if (this.#isRecovery) return oracle.isRecovering && this.#diesRecovering()
    if (!oracle.hasStarted) return false
    return this.boundaries.push(`${moment} ${step}`) - 1 === this.#point.at
  }

  #diesRecovering(): boolean {
    if (this.#point.killsRecovery !== true || ++this.#passed !== this.#killed) return false
    this.#isThrough = false
    return true
  }

  losesPower(): boolean {
    return this.#point.death === 'power loss'
  }

  drawRead(): Exchange {
    return {kind: 'fine'}
  }

  /** Only the first request is spoilt: it is the operation's. */
  drawWrite(): Exchange {
    if (this.#isRecovery || this.#hasSpoilt) return {kind: 'fine'}
    this.#hasSpoilt = true
    switch (this.#point.outcome) {
      case 'answer lost':
        return {kind: 'reset', effect: 'before'}
      case 'request lost':
        return {kind: 'reset', effect: 'none'}
      case 'late':
        return {kind: 'status', status: 596, effect: 'late', lateMs: LATE_MS}
      default:
        return {kind: 'fine'}
    }
  }

  #hasSpoilt = false
}
