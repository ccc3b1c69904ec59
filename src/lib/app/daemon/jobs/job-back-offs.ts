// Signed jobs that failed before what was signed for was sent: their signatures are still good, and each further try
// may shut their guest down once more. They are tried less and less often, like guests that keep failing.
import {isWaiting, pauseAfter, type BackOffLimits} from '../back-offs.ts'

/** No approval lasts longer. */
const LONGEST_SIGNED_MS = 24 * 60 * 60 * 1000

export interface FailingJob {
  readonly nonce: string
  readonly failures: number
  readonly untilMs: number
  readonly pauseMs: number
}

export class JobBackOffs {
  readonly #failing = new Map<string, FailingJob>()

  waiting(nonce: string, nowMs: number): FailingJob | undefined {
    const failing = this.#failing.get(nonce)
    return failing && isWaiting(failing, nowMs) ? failing : undefined
  }

  all(): readonly FailingJob[] {
    return [...this.#failing.values()]
  }

  /** As another process has left it. */
  restore(failing: readonly FailingJob[]): void {
    for (const one of failing) this.#failing.set(one.nonce, one)
  }

  fail(nonce: string, nowMs: number, limits: BackOffLimits): void {
    const failures = (this.#failing.get(nonce)?.failures ?? 0) + 1
    const pauseMs = pauseAfter(failures, limits)
    this.#failing.set(nonce, {nonce, failures, pauseMs, untilMs: nowMs + pauseMs})
  }

  /**
   * A source may send new jobs for months. One that leaves a job out for a while gains nothing by it: as long as its
   * signature may still be good, its failures count.
   */
  forgetOld(present: ReadonlySet<string>, nowMs: number): void {
    for (const [nonce, {untilMs, pauseMs}] of this.#failing) {
      const failedMs = untilMs - pauseMs
      if (!present.has(nonce) && nowMs - failedMs > LONGEST_SIGNED_MS) this.#failing.delete(nonce)
    }
  }

  /** The operator wants everything tried now. */
  forgetAll(): void {
    this.#failing.clear()
  }
}
