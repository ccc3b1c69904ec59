// A file of JSON that the daemon keeps for its own convenience: written in one piece, and when it is read nothing in it
// is believed unseen. What cannot be read is begun anew.
import {readFileSync, statSync} from 'node:fs'
import {GUEST_KINDS, type GuestId} from '../../model/guest.ts'

const VERSION = 1
const MOST_BYTES = 16 * 1024 * 1024

export const encodeKept = (kept: object): string => `${JSON.stringify({version: VERSION, ...kept})}\n`

/** Undefined where there is none, and where it cannot be used; then `warn` is told why, and the `consequence`. */
export function loadKept<T>(
  path: string,
  decode: (fields: Record<string, unknown>) => T,
  consequence: string,
  warn: (text: string) => void,
): T | undefined {
  try {
    if (statSync(path).size > MOST_BYTES) throw new Error('it is too long')
    const {version, ...fields} = object(JSON.parse(readFileSync(path, 'utf8')))
    if (version !== VERSION) throw new Error('it is of another version')
    return decode(fields)
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') warn(`${path} cannot be used (${code ?? message}): ${consequence}`)
    return undefined
  }
}

const strange = (): Error => new Error('its shape is not ours')

export function object(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw strange()
}

export function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw strange()
}

export function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw strange()
}

/** Of the calendar: a later time cannot be shown. */
const LAST_DATE_MS = 8.64e15

/** A count or a time: neither is below zero, nor behind the end of the calendar. */
export function count(value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= LAST_DATE_MS) return value
  throw strange()
}

export function oneOf<T extends string>(values: readonly T[], value: unknown): T {
  const found = values.find((each) => each === value)
  if (found === undefined) throw strange()
  return found
}

export function guestId(value: unknown): GuestId {
  const {kind, vmid} = object(value)
  return {kind: oneOf(GUEST_KINDS, kind), vmid: count(vmid)}
}
