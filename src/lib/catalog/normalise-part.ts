// One value in the one form in which it is compared: what Proxmox takes for the same reads the same here.
import {normaliseAddress} from './addresses.ts'
import {parseBoolean} from './property-string.ts'
import {parseSizeBytes} from './sizes.ts'

export interface ValueSpec {
  readonly type: 'boolean' | 'integer' | 'number' | 'string'
  readonly format?: string
  readonly separator?: string
}

/** Lists whose order says nothing. */
const SETS: ReadonlySet<string> = new Set(['mountoptions', 'mount', 'flags'])
/** Lists of numbers and ranges of numbers: `0-1;3`. */
const RANGES: ReadonlySet<string> = new Set(['cpus', 'hostnodes', 'trunks'])
/** Hexadecimal, in either case. */
const HEX: ReadonlySet<string> = new Set(
  'uuid wwn vendor-id device-id sub-vendor-id sub-device-id'.split(' '),
)

export function normalisePart(name: string, spec: ValueSpec, text: string): string {
  if (RANGES.has(name)) return normaliseRanges(text)
  if (SETS.has(name)) return [...new Set(splitList(text))].sort().join(';')
  if (HEX.has(name)) return text.toLowerCase()
  if (name === 'host') return splitList(text).map(normaliseDevice).join(';')
  if (spec.separator !== undefined && spec.type === 'string') return splitList(text).join(';')
  return normaliseScalar(spec, text)
}

export function normaliseScalar(spec: ValueSpec, text: string): string {
  switch (spec.type) {
    case 'boolean': {
      const flag = parseBoolean(text.trim())
      return flag === undefined ? text : flag ? '1' : '0'
    }
    case 'integer':
    case 'number':
      return normaliseNumber(text)
    case 'string':
      return normaliseByFormat(spec.format, text)
  }
}

function normaliseByFormat(format: string | undefined, text: string): string {
  switch (format) {
    case 'disk-size':
      return String(parseSizeBytes(text) ?? text)
    case 'mac-addr':
      return text.toUpperCase()
    case 'ipv6':
    case 'pve-ipv6-config':
      return normaliseAddress(text)
    default:
      return text
  }
}

/** `02`, `2.0` and `2e0` are 2. */
export function normaliseNumber(text: string): string {
  const trimmed = text.trim()
  return /^[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?$/i.test(trimmed) ? String(Number(trimmed)) : trimmed
}

/** Proxmox splits lists at commas, semicolons and white space alike. */
export function splitList(text: string): string[] {
  return text.split(/[,;\s\0]+/).filter((item) => item !== '')
}

/** Numbers and ranges as sorted ranges that neither touch nor overlap: `1,0` is `0-1`. */
export function normaliseRanges(text: string): string {
  const ranges: [number, number][] = []
  for (const item of splitList(text)) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(item)
    if (!match) return text
    const from = Number(match[1])
    ranges.push([from, Number(match[2] ?? from)])
  }
  ranges.sort(([a], [b]) => a - b)
  const merged: [number, number][] = []
  for (const [from, to] of ranges) {
    const last = merged.at(-1)
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged.map(([from, to]) => (from === to ? String(from) : `${String(from)}-${String(to)}`)).join(';')
}

/** A PCI address without the domain that goes without saying; a USB id without `0x`. */
function normaliseDevice(text: string): string {
  const lower = text.toLowerCase().replaceAll('0x', '')
  return lower.replace(/^0000:(?=[0-9a-f]{2}:)/, '')
}
