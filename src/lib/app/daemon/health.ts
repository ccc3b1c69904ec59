// Whether the daemon is alive, and whether it is of use. Alive: its loop moves. Ready: a pass has ended well since it
// started, and the journal can be written.
import type {ErrorCode} from '../../model/error-codes.ts'
import type {DaemonEvent, PassReport} from '../../model/daemon.ts'
import {showDuration, showExactTime} from '../../report/journal-times.ts'

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

/** For what a pass does besides waiting for tasks. */
const SPARE_MS = 60_000

const JOURNAL_PROBLEMS: readonly ErrorCode[] = [
  'journal_corrupt',
  'journal_failed',
  'journal_mismatch',
  'state_unsafe',
]

export class HealthWatch {
  limits: HealthLimits
  #progressMs: number
  #isInPass = false
  #longestPassMs = 0
  #wasGood = false
  #problem: PassReport['problem']

  constructor(limits: HealthLimits, nowMs: number) {
    this.limits = limits
    this.#progressMs = nowMs
  }

  noteProgress(nowMs: number): void {
    this.#progressMs = nowMs
  }

  note(event: DaemonEvent): void {
    if (event.type === 'pass_started') this.#isInPass = true
    if (event.type !== 'pass_ended') return
    const {startedMs, endedMs, problem} = event.report
    this.#isInPass = false
    this.#longestPassMs = Math.max(this.#longestPassMs, endedMs - startedMs)
    this.#problem = problem
    this.#wasGood ||= problem === undefined
  }

  alive(nowMs: number): Health {
    const silentMs = nowMs - this.#progressMs
    const allowedMs = this.#allowedSilence()
    const where = this.#isInPass ? 'a pass is being made' : 'the next pass is due'
    return {
      ok: silentMs <= allowedMs,
      reason:
        silentMs <= allowedMs
          ? null
          : `the loop has not moved for ${showDuration(silentMs)}, and ${where}: more than ${showDuration(allowedMs)} is wrong`,
      lastProgress: showExactTime(this.#progressMs),
    }
  }

  ready(nowMs: number): Health {
    const alive = this.alive(nowMs)
    const reason = alive.reason ?? this.#whyNotReady()
    return {...alive, ok: reason === null, reason}
  }

  #allowedSilence(): number {
    const {intervalMs, jitter, taskTimeoutMs} = this.limits
    const between = 3 * intervalMs * (1 + jitter) + this.#longestPassMs + SPARE_MS
    return this.#isInPass ? between + taskTimeoutMs : between
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
