// The grains of an answer. Proxmox is loose with types: numbers come as texts, booleans as 0 and 1, and what
// is not set is absent, null or empty. Read that loosely, but refuse what cannot be meant, with its place.
import {FelhomError} from '../model/felhom-error.ts'
import {isNodeName, isVmid} from '../model/guest.ts'
import {readUpid, type Upid} from '../model/upid.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The value itself is not repeated: it may be a secret, and it may be long. */
export function malformed(at: string, expected: string): FelhomError {
  return new FelhomError('bad_answer', `${at}: expected ${expected}`, {
    hint: 'Check that the endpoint is a Proxmox VE 8 or 9 API and that nothing between rewrites its answers.',
  })
}

export function readFields(value: unknown, at: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(at, 'an object')
  return value as Fields
}

export function readList(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(at, 'a list')
  return value
}

export function readRows<T>(value: unknown, at: string, readRow: (row: Fields, at: string) => T): T[] {
  return readList(value, at).map((row, i) => {
    const place = `${at}[${i}]`
    return readRow(readFields(row, place), place)
  })
}

/** A scalar as text; undefined for what is absent or null. */
export function optionalText(value: unknown, at: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? '1' : '0'
  throw malformed(at, 'a text or a number')
}

export function readText(value: unknown, at: string): string {
  const text = optionalText(value, at)
  if (text === undefined) throw malformed(at, 'a text')
  return text
}

export function optionalInteger(value: unknown, at: string): number | undefined {
  const text = optionalText(value, at)
  if (text === undefined || text === '') return undefined
  if (!/^-?\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text))) throw malformed(at, 'an integer')
  return Number(text)
}

export function readInteger(value: unknown, at: string): number {
  const number = optionalInteger(value, at)
  if (number === undefined) throw malformed(at, 'an integer')
  return number
}

export function readFlag(value: unknown, at: string): boolean {
  const text = optionalText(value, at)
  if (text === undefined || text === '' || text === '0') return false
  if (text === '1') return true
  throw malformed(at, '0 or 1')
}

export function readOneOf<T extends string>(value: unknown, allowed: readonly T[], at: string): T {
  const found = allowed.find((candidate) => candidate === value)
  if (found === undefined) throw malformed(at, allowed.join(' or '))
  return found
}

export function readVmid(value: unknown, at: string): number {
  const vmid = readInteger(value, at)
  if (!isVmid(vmid)) throw malformed(at, 'a guest number')
  return vmid
}

export function readNodeName(value: unknown, at: string): string {
  if (typeof value !== 'string' || !isNodeName(value)) throw malformed(at, 'a node name')
  return value
}

export function readTaskId(value: unknown, at: string): Upid {
  const upid = typeof value === 'string' ? readUpid(value) : undefined
  if (!upid) throw malformed(at, 'a task id')
  return upid
}

export function readDigest(value: unknown, at: string): string {
  if (typeof value !== 'string' || !/^[0-9a-f]{40}$/.test(value)) throw malformed(at, 'a SHA-1 digest')
  return value
}
