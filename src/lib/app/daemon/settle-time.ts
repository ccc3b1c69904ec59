// A time that was noted by a clock which is put right now and then. What lies ahead of now was noted while the clock
// was ahead, or the clock is behind at the moment: nobody can tell which, so the time is kept as it was noted. Pure.

export interface SettledTime {
  /** What counts now: never ahead of now. */
  readonly atMs: number
  /** The earliest now that the noted time lay ahead of. It counts, and so grows old, until that time is reached. */
  readonly setBackToMs?: number
}

export function settleTime(notedMs: number, setBackToMs: number | undefined, nowMs: number): SettledTime {
  if (notedMs <= nowMs) return {atMs: notedMs}
  const atMs = Math.min(setBackToMs ?? nowMs, nowMs)
  return {atMs, setBackToMs: atMs}
}
