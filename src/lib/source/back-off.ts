// How long a source that keeps failing is left alone: twice as long each time, never quite as long as others wait.

const FIRST_MS = 5_000
const LONGEST_MS = 10 * 60_000
/** Whatever the server asks for. */
const LONGEST_ASKED_MS = 60 * 60_000

export class BackOff {
  #failures = 0
  #untilMs = 0

  fail(nowMs: number, askedMs: number, random: () => number): void {
    const grownMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#failures, 20))
    this.#failures++
    const ownMs = grownMs * (0.5 + random() / 2)
    this.#untilMs = nowMs + Math.max(ownMs, Math.min(askedMs, LONGEST_ASKED_MS))
  }

  succeed(): void {
    this.#failures = 0
    this.#untilMs = 0
  }

  /** A clock that was set back makes nobody wait for longer. */
  isWaiting(nowMs: number): boolean {
    return nowMs < this.#untilMs && this.#untilMs - nowMs <= LONGEST_ASKED_MS
  }
}

/** `Retry-After`: seconds, or a date. 0 where it says nothing of use. */
export function readRetryAfter(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const dateMs = Date.parse(value)
  return Number.isNaN(dateMs) ? 0 : Math.max(0, dateMs - nowMs)
}
