// The daemon's loop: a pass at once and then on every interval, one after the other, until it is told to end. It knows
// time and signals; what a pass does is not its business, and a pass that fails is followed by the next.
import type {Clock} from '../../engine/ports.ts'
import type {PassReport} from '../../model/daemon.ts'
import type {ErrorCode} from '../../model/error-codes.ts'
import type {MakePass} from './ports.ts'
import {WakeUp} from './wake-up.ts'

export interface Pace {
  readonly intervalMs: number
  readonly jitter: number
  readonly stopTimeoutMs: number
}

export interface LoopWorld {
  readonly clock: Clock
  readonly makePass: MakePass
  readonly random: () => number
  /** As the settings say now. */
  pace(): Pace
  /** Reads the settings again; a mistake in them is told, and the old ones stay. */
  reload(): Promise<void>
  ended(report: PassReport): void
  /** The loop has moved: fed to the watchdog. */
  progress(): void
  readonly once: boolean
  /** Rung by SIGHUP. */
  readonly wakeUp: WakeUp
  readonly stop: AbortSignal
}

export type LoopEnd =
  | {readonly reason: 'once' | 'broken'; readonly report: PassReport}
  /** `isDrained`: false: tasks were left running, and the journal has them. */
  | {readonly reason: 'stopped'; readonly isDrained: boolean; readonly report?: PassReport}

/** What no later pass can mend: somebody has to look at it first. */
const BROKEN: ReadonlySet<ErrorCode> = new Set([
  'journal_corrupt',
  'journal_failed',
  'journal_mismatch',
  'state_unsafe',
])

/** So that a waiting loop is known to be alive. */
const SLICE_MS = 5_000
/** Whatever interval and jitter say, a pass is not followed by the next without a breath. */
const LEAST_PAUSE_MS = 1_000

export async function runLoop(world: LoopWorld): Promise<LoopEnd> {
  const {clock, stop, wakeUp} = world
  let last: PassReport | undefined
  for (let pass = 1; !stop.aborted; pass++) {
    const startedMs = clock.now()
    const report = await drain(world.makePass(pass), world)
    if (report === 'left') return {reason: 'stopped', isDrained: false, ...(last && {report: last})}
    last = report
    world.ended(report)
    world.progress()
    if (report.problem && BROKEN.has(report.problem.code)) return {reason: 'broken', report}
    if (world.once) return {reason: 'once', report}
    await pause(startedMs, world)
    if (wakeUp.takeRing()) await world.reload()
  }
  return {reason: 'stopped', isDrained: true, ...(last && {report: last})}
}

/** The pass's own end, or `left` when it was told to end and its tasks took longer than they were given. */
async function drain(pass: Promise<PassReport>, world: LoopWorld): Promise<PassReport | 'left'> {
  const {clock, stop} = world
  const isOver = new AbortController()
  const timeUp = async (): Promise<'left'> => {
    await aborted(stop, isOver.signal)
    await clock.sleep(world.pace().stopTimeoutMs, isOver.signal)
    return 'left'
  }
  try {
    return await Promise.race([pass, timeUp()])
  } finally {
    isOver.abort()
    // Whatever a pass that was left behind still says, nobody waits for it.
    pass.catch(() => undefined)
  }
}

/** Resolves when `signal` is aborted, rejects when `over` is. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const hear = (): void => resolve()
    signal.addEventListener('abort', hear, {once: true})
    over.addEventListener(
      'abort',
      () => {
        signal.removeEventListener('abort', hear)
        reject(new Error('over'))
      },
      {once: true},
    )
  })
}

async function pause(startedMs: number, world: LoopWorld): Promise<void> {
  const {clock, random, wakeUp, stop} = world
  const {intervalMs, jitter} = world.pace()
  const wantedMs = intervalMs * (1 + jitter * (2 * random() - 1))
  // A clock that is put back or forward changes nothing: what was slept is counted.
  let leftMs = Math.max(LEAST_PAUSE_MS, Math.min(startedMs + wantedMs - clock.now(), wantedMs))
  while (leftMs > 0 && !stop.aborted && !wakeUp.isRung) {
    const sliceMs = Math.min(leftMs, SLICE_MS)
    await wakeUp.sleep(clock, sliceMs, stop)
    leftMs -= sliceMs
    world.progress()
  }
}
