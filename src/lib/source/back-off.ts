// How long a source that keeps failing is left alone: twice as long each time, never quite as long as others wait.
import type {FailedFetch} from './failed-fetch.ts'
import type {Failure} from './source-memory.ts'

const FIRST_MS = 5_000
const LONGEST_MS = 10 * 60_000
/** Whatever the server asks for. */
const LONGEST_ASKED_MS = 60 * 60_000

export class BackOff {
  /** The last, and what is made of it; undefined: the source is well. */
  failure: Failure | undefined

  fail(fetched: FailedFetch, nowMs: number, askedMs: number, random: () => number): void {
    const failures = this.failure?.failures ?? 0
    const grownMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 20))
    const ownMs = grownMs * (0.5 + random() / 2)
    const untilMs = nowMs + Math.ceil(Math.max(ownMs, Math.min(askedMs, LONGEST_ASKED_MS)))
    this.failure = {fetched, failures: failures + 1, untilMs}
  }

  succeed(): void {
    this.failure = undefined
  }

  /** What the source is taken to say still. A clock that was set back makes nobody wait for longer. */
  answer(nowMs: number): FailedFetch | undefined {
    if (!this.failure) return undefined
    const {fetched, untilMs} = this.failure
    return nowMs < untilMs && untilMs - nowMs <= LONGEST_ASKED_MS ? fetched : undefined
  }
}

/** `Retry-After`: seconds, or a date. 0 where it says nothing of use. */
export function readRetryAfter(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const dateMs = Date.parse(value)
  return Number.isNaN(dateMs) ? 0 : Math.max(0, dateMs - nowMs)
}
