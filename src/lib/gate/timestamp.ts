// Times as statements and trust files write them: `YYYY-MM-DDTHH:MM:SSZ`, in whole seconds of UTC, and nothing else.
import {Malformed} from './ssh-wire.ts'

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const END_OF_TIME_MS = Date.UTC(10_000, 0)

/** Epoch milliseconds; throws Malformed. */
export function readTimestamp(text: unknown): number {
  const atMs = typeof text === 'string' && FORM.test(text) ? Date.parse(text) : NaN
  // The 30th of February and the hour 24 are read by Date as other times.
  if (Number.isNaN(atMs) || writeTimestamp(atMs) !== text) throw new Malformed('a time is not of its form')
  return atMs
}

/** From 1970 to 9999, parts of a second dropped; throws Malformed for any other time. */
export function writeTimestamp(atMs: number): string {
  if (!(atMs >= 0 && atMs < END_OF_TIME_MS)) throw new Malformed('a time is out of range')
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}
