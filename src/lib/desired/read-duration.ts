import parseDuration from 'parse-duration'
import type {Section} from './section.ts'

const MAX_MS = 24 * 3600 * 1000
const EXPECTED = 'a duration with its unit from 1s to 24h, such as 60s or 5m'

/** Milliseconds. A bare number or a negative one is a slip, not a duration. */
export function readDuration(section: Section, key: string): number | undefined {
  const value = section.map[key]
  if (value === undefined) return undefined
  const isWritten =
    typeof value === 'string' && /^\d[\d.\s]*[a-z][\da-z.\s]*$/i.test(value) && /[a-z]\s*$/i.test(value)
  const ms = isWritten && value.length <= 32 ? parseDuration(value) : null
  if (ms !== null && ms >= 1000 && ms <= MAX_MS) return Math.round(ms)
  section.complainOfValue(key, {
    code: 'wrong_value',
    message: `'${key}' has a value that felhom cannot use`,
    expected: EXPECTED,
  })
  return undefined
}
