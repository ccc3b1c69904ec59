// Property strings (`name=eth0,bridge=vmbr0`) to parts and back. Reading is generous, because what Proxmox has
// stored must always be readable: unknown parts are kept, and printed again at the end.
import {type FormatIndex, indexFormat, type PropertyFormat} from './property-format.ts'

/** Canonical part names to values, in Proxmox's own words. */
export type Parts = Map<string, string>

/** One piece between commas. Without a key it belongs to the default key. */
export interface Piece {
  readonly key: string | undefined
  readonly value: string
}

export function splitPieces(text: string): Piece[] {
  const pieces: Piece[] = []
  for (const piece of text.split(',')) {
    if (piece.trim() === '') continue
    const equals = piece.indexOf('=')
    if (equals === -1) pieces.push({key: undefined, value: piece.trim()})
    else pieces.push({key: piece.slice(0, equals).trim(), value: piece.slice(equals + 1)})
  }
  return pieces
}

export function parseProperties(format: PropertyFormat, text: string): {parts: Parts} | {problem: string} {
  const index = indexFormat(format)
  const parts: Parts = new Map()
  for (const piece of splitPieces(text)) {
    if (piece.key === '') return {problem: `"=${piece.value}" has no name`}
    const problem = addPiece(index, parts, piece)
    if (problem !== undefined) return {problem}
  }
  return {parts}
}

/** Puts a piece where it belongs, under its canonical name; the first of two wins. */
function addPiece(index: FormatIndex, parts: Parts, {key, value}: Piece): string | undefined {
  const name = key ?? index.defaultKey
  if (name === undefined) return `"${value}" has no name`
  for (const [part, said] of resolvePiece(index, name, value)) {
    if (!parts.has(part)) parts.set(part, canonicalBoolean(index, part, said))
  }
  return undefined
}

/** What `name=value` says in canonical parts; two of them for a key group: `virtio=MAC`. */
export function resolvePiece(index: FormatIndex, name: string, value: string): [string, string][] {
  const alias = index.aliases.get(name)
  if (!alias) return [[name, value]]
  const said: [string, string][] = [[alias.alias, value]]
  if (alias.keyAlias !== undefined) said.unshift([alias.keyAlias, name])
  return said
}

function canonicalBoolean(index: FormatIndex, part: string, value: string): string {
  if (index.parts.get(part)?.type !== 'boolean') return value
  const flag = parseBoolean(value)
  return flag === undefined ? value : flag ? '1' : '0'
}

/** All that Proxmox takes for yes and no inside a property string. */
export function parseBoolean(text: string): boolean | undefined {
  if (/^(?:1|on|yes|true)$/i.test(text)) return true
  return /^(?:0|off|no|false)$/i.test(text) ? false : undefined
}

/** As Proxmox itself prints them: the default key first and bare, then what is required, then the rest. */
export function printProperties(format: PropertyFormat, parts: ReadonlyMap<string, string>): string {
  const index = indexFormat(format)
  const printed: string[] = []
  const done = new Set<string>()
  for (const name of [...index.parts.keys(), ...[...parts.keys()].sort()]) {
    const value = parts.get(name)
    if (value === undefined || done.has(name)) continue
    done.add(name)
    const partner = index.combined.get(name)
    const combined = partner === undefined ? undefined : parts.get(partner)
    if (partner !== undefined && combined !== undefined) {
      done.add(partner)
      printed.push(`${value}=${combined}`)
    } else printed.push(name === index.defaultKey && !value.includes('=') ? value : `${name}=${value}`)
  }
  return printed.join(',')
}

/** Parts without which Proxmox refuses the value. */
export function missingParts(format: PropertyFormat, parts: ReadonlyMap<string, string | null>): string[] {
  const required = [...indexFormat(format).parts].filter(([, part]) => !part.optional)
  return required.map(([name]) => name).filter((name) => (parts.get(name) ?? null) === null)
}
