// The clock against the latest time that was ever believed: a clock that was turned back would make expired approvals
// good again. The mark follows the clock in bounded steps, so that a clock that was once far ahead locks nobody out
// for years.

export const SKEW_MS = 60_000
const DAY_MS = 24 * 60 * 60_000
const MAX_STEP_MS = 7 * DAY_MS

export const isClockBehind = (nowMs: number, markMs: number): boolean => nowMs < markMs - SKEW_MS

/** The next mark, once a signature has proved that somebody we trust is at work; undefined: it stays, for it is near enough. */
export function advanceMark(nowMs: number, markMs: number): number | undefined {
  const next = markMs === 0 ? nowMs : Math.min(nowMs, markMs + MAX_STEP_MS)
  return next - markMs > SKEW_MS ? next : undefined
}
