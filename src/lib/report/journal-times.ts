// Times of the journal as people read them: UTC in ISO form for exactness, and how long ago for the eye.

/** `2026-11-18T06:03:11Z`. */
export const showTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** `2026-11-18T06:03:11.042Z`, where the order within a second tells something. */
export const showExactTime = (ms: number): string => new Date(ms).toISOString()

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `45 s`, `3 min`, `5 h`, `12 days`: one unit, rounded down. */
export function showDuration(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`
  return `${Math.floor(ms / DAY)} days`
}

/** A wait must not be told shorter than it is. */
export function showWait(ms: number): string {
  return ms <= MINUTE ? `${Math.ceil(ms / SECOND)} s` : showDuration(Math.ceil(ms / MINUTE) * MINUTE)
}

/** `3 min ago`. The clock may have been set back since. */
export function showAge(atMs: number, nowMs: number): string {
  const age = nowMs - atMs
  if (age <= -SECOND) return `in ${showDuration(-age)}`
  return age < SECOND ? 'just now' : `${showDuration(age)} ago`
}
