// Times as statements and trust files write them: `YYYY-MM-DDTHH:MM:SSZ`, in whole seconds of UTC, and nothing else.
import {Malformed} from './ssh-wire.ts'

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

/** Epoch milliseconds; throws Malformed. */
export function readTimestamp(text: unknown): number {
  const atMs = typeof text === 'string' && FORM.test(text) ? Date.parse(text) : NaN
  // The 30th of February and the hour 24 are read by Date as other times.
  if (Number.isNaN(atMs) || writeTimestamp(atMs) !== text) throw new Malformed('a time is not of its form')
  return atMs
}

/** Of a time between the years 0 and 9999; parts of a second are dropped. */
export function writeTimestamp(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}
