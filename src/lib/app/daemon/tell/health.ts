// Whether the daemon is alive, and whether it is of use. Alive: its loop moves. Ready: a pass has ended well since it
// started, and the journal can be written.
import type {ErrorCode} from '../../../model/error-codes.ts'
import type {DaemonEvent, PassReport} from '../../../model/daemon.ts'
import {showDuration, showExactTime} from '../../../report/journal-times.ts'

export interface HealthLimits {
  readonly intervalMs: number
  readonly jitter: number
  readonly taskTimeoutMs: number
}

export interface Health {
  readonly ok: boolean
  /** One sentence, where it is not. */
  readonly reason: string | null
  readonly lastProgress: string
}

/** The clock on the wall, for people; the steady one, which is never set, for how long anything took. */
export interface Moment {
  readonly wallMs: number
  readonly steadyMs: number
}

/** For what a pass does besides waiting for tasks. */
const SPARE_MS = 60_000

/** One pass that took for ever does not excuse silence for ever. */
const FADING = 0.9

const JOURNAL_PROBLEMS: readonly ErrorCode[] = [
  'journal_corrupt',
  'journal_failed',
  'journal_mismatch',
  'state_unsafe',
]

export class HealthWatch {
  limits: HealthLimits
  #progress: Moment
  /** On the steady clock; undefined: none is being made. */
  #passSinceMs: number | undefined
  #longestPassMs = 0
  #wasGood = false
  #problem: PassReport['problem']

  constructor(limits: HealthLimits, now: Moment) {
    this.limits = limits
    this.#progress = now
  }

  noteProgress(now: Moment): void {
    this.#progress = now
  }

  note(event: DaemonEvent, {steadyMs}: Moment): void {
    if (event.type === 'pass_started') this.#passSinceMs = steadyMs
    if (event.type !== 'pass_ended') return
    const {problem} = event.report
    const tookMs = steadyMs - (this.#passSinceMs ?? steadyMs)
    this.#passSinceMs = undefined
    this.#longestPassMs = Math.max(this.#longestPassMs * FADING, tookMs)
    this.#problem = problem
    this.#wasGood ||= problem === undefined
  }

  alive({steadyMs}: Moment): Health {
    const silentMs = steadyMs - this.#progress.steadyMs
    const allowedMs = this.#allowedSilence()
    const where = this.#passSinceMs !== undefined ? 'a pass is being made' : 'the next pass is due'
    return {
      ok: silentMs <= allowedMs,
      reason:
        silentMs <= allowedMs
          ? null
          : `the loop has not moved for ${showDuration(silentMs)}, and ${where}: more than ${showDuration(allowedMs)} is wrong`,
      lastProgress: showExactTime(this.#progress.wallMs),
    }
  }

  ready(now: Moment): Health {
    const alive = this.alive(now)
    const reason = alive.reason ?? this.#whyNotReady()
    return {...alive, ok: reason === null, reason}
  }

  #allowedSilence(): number {
    const {intervalMs, jitter, taskTimeoutMs} = this.limits
    const between = 3 * intervalMs * (1 + jitter) + this.#longestPassMs + SPARE_MS
    return this.#passSinceMs !== undefined ? between + taskTimeoutMs : between
  }

  #whyNotReady(): string | null {
    const problem = this.#problem
    if (problem && JOURNAL_PROBLEMS.includes(problem.code))
      return `the journal cannot be used (${problem.code}): ${problem.message}`
    if (this.#wasGood) return null
    return problem
      ? `no pass has ended well yet; the last one failed (${problem.code}): ${problem.message}`
      : 'no pass has ended yet'
  }
}
