// A time to come, as a person writes one: a day, a time of UTC, or how long from now.
import {parseDuration} from './parse-duration.ts'

export type Moment = {readonly ms: number} | {readonly expected: string}

const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

/** A day means its first second, UTC; parts of a second are dropped. */
export function parseMoment(text: string, nowMs: number): Moment {
  const expected = 'a day as 2027-01-31, a time as 2027-01-31T12:00:00Z, or a duration as 365d'
  const full = DAY.test(text) ? `${text}T00:00:00Z` : text
  if (TIME.test(full)) {
    const ms = Date.parse(full)
    const isReal = !Number.isNaN(ms) && new Date(ms).toISOString() === full.replace('Z', '.000Z')
    return isReal ? {ms} : {expected}
  }
  const read = parseDuration(text)
  return 'ms' in read ? {ms: Math.floor((nowMs + read.ms) / 1000) * 1000} : {expected}
}
