// What of an address is not shown, because it may hold secrets, still tells one source from another. A short secret can
// be guessed from its digest, so the mark is kept beside the last good state, for nobody else to read, and shown nowhere.
import {createHash} from 'node:crypto'

/** undefined where nothing is hidden. The order of the keys of a map does not matter. */
export function markHidden(hidden: unknown): string | undefined {
  const text = JSON.stringify(hidden, (_key, value: unknown) => (isMap(value) ? sortKeys(value) : value))
  if (text === '""' || text === '{}') return undefined
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const sortKeys = (map: object): object =>
  Object.fromEntries(Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1)))
