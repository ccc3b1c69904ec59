// The text of a guest's config file under /etc/pve. It knows how Proxmox writes and reads that text; it may
// touch nothing; it guarantees that a digest is the sha1 of exactly the text that the real file would hold.
import {createHash} from 'node:crypto'
import {parseDeleteList, printDeleteList} from './pending.ts'
import type {Guest, Kind, Section, Snapshot} from '../state.ts'

/** What a config file holds: the guest without its place and its runtime. */
export type ConfigFile = Pick<Guest, 'config' | 'pending' | 'pendingDelete' | 'snapshots' | 'cloudinit'>

/** Between the raw `lxc.*` lines of a section, which are kept together under the key `lxc`. */
const RAW_LINE_SEPARATOR = '\n'
const ENV_SEPARATOR = '\0'
const ENV_KEY = 'lxc.environment.runtime'

export function renderConfigFile(guest: Pick<Guest, 'kind'> & ConfigFile): string {
  const {kind} = guest
  let text = renderSection(kind, guest.config)
  const deleted = printDeleteList(guest.pendingDelete)
  const pending = deleted === '' ? guest.pending : {...guest.pending, delete: deleted}
  if (Object.keys(pending).length > 0) {
    text += `\n${kind === 'lxc' ? '[pve:pending]' : '[PENDING]'}\n${renderSection(kind, pending, true)}`
  }
  if (guest.cloudinit) text += `\n[special:cloudinit]\n${renderSection(kind, guest.cloudinit)}`
  for (const name of Object.keys(guest.snapshots).sort()) {
    const snapshot = guest.snapshots[name]
    if (snapshot) text += `\n[${name}]\n${renderSection(kind, snapshotSection(snapshot))}`
  }
  return text
}

/** The `digest` of GET config, of snapshots and of the PUT parameter: the sha1 of the file's text. */
export function configDigest(guest: Pick<Guest, 'kind'> & ConfigFile): string {
  const text = renderConfigFile(guest)
  // A container's values are the bytes of its file, one character each.
  return createHash('sha1')
    .update(text, guest.kind === 'lxc' ? 'latin1' : 'utf8')
    .digest('hex')
}

/** Reads a config file; values are trimmed as Proxmox trims them, unknown lines are skipped. */
export function parseConfigFile(kind: Kind, text: string): ConfigFile {
  const sections: Record<string, Section> = {}
  let name = ''
  for (const part of text.split(/^(?=\[)/m)) {
    const header = /^\[([^\]]*)\]\s*$/m.exec(part)
    if (part.startsWith('[') && header) name = header[1] ?? ''
    sections[name] = parseSection(kind, part.startsWith('[') ? part.slice(part.indexOf('\n') + 1) : part)
  }
  const pendingName = kind === 'lxc' ? 'pve:pending' : 'PENDING'
  const {delete: deleted, ...pending} = sections[pendingName] ?? {}
  const snapshots: Record<string, Snapshot> = {}
  for (const [section, values] of Object.entries(sections)) {
    if (/^[a-z][a-z0-9_-]+$/i.test(section) && section !== pendingName) {
      snapshots[section] = toSnapshot(values)
    }
  }
  return {config: sections[''] ?? {}, pending, pendingDelete: parseDeleteList(deleted), snapshots}
}

/**
 * What a description is once it was written as `#` lines and read again, undefined when nothing was written.
 * Whoever stores a description (of a guest or a snapshot) stores this.
 */
export function descriptionAsRead(kind: Kind, description: string): string | undefined {
  if (description === '' || description === '0') return undefined
  const lines = descriptionLines(description)
  if (lines.length === 0) return undefined
  return kind === 'lxc' ? `${lines.join('\n')}\n` : lines.join('\n').replace(/[\s\x85]+$/, '')
}

/** The raw `lxc.*` entries of a section, as GET config lists them under `lxc`. */
export function rawLxcEntries(section: Section): [string, string][] {
  const raw = section['lxc']
  if (raw === undefined) return []
  return raw.split(RAW_LINE_SEPARATOR).map((line) => {
    const colon = line.indexOf(': ')
    return [line.slice(0, colon), line.slice(colon + 2)]
  })
}

function renderSection(kind: Kind, section: Section, isPending = false): string {
  let text = renderDescription(kind, section['description'], isPending)
  for (const key of Object.keys(section).sort()) {
    if (key === 'description' || (kind === 'lxc' && (key === 'env' || key === 'lxc'))) continue
    text += `${key}: ${section[key] ?? ''}\n`
  }
  if (kind === 'qemu') return text
  for (const variable of (section['env'] ?? '').split(/\0+/)) {
    if (variable !== '') text += `${ENV_KEY}: ${variable}\n`
  }
  return section['lxc'] === undefined ? text : `${text}${section['lxc']}\n`
}

function renderDescription(kind: Kind, description: string | undefined, isPending: boolean): string {
  if (description === undefined) return ''
  if (description === '' || description === '0') return kind === 'qemu' && isPending ? '#\n' : ''
  return descriptionLines(description)
    .map((line) => `#${encodeText(line)}\n`)
    .join('')
}

/** Lines without the empty ones at the end, which Perl's split drops. */
function descriptionLines(description: string): string[] {
  const trimmed = description.replace(/\n+$/, '')
  return trimmed === '' ? [] : trimmed.split('\n')
}

function snapshotSection(snapshot: Snapshot): Section {
  const {config, snaptime, parent, description, vmstate, snapstate} = snapshot
  const section: Section = {...config, snaptime: String(snaptime)}
  if (parent !== undefined) section['parent'] = parent
  if (description !== undefined) section['description'] = description
  if (vmstate !== undefined) section['vmstate'] = vmstate
  if (snapstate !== undefined) section['snapstate'] = snapstate
  return section
}

function toSnapshot(section: Section): Snapshot {
  const {snaptime, parent, description, vmstate, snapstate, ...config} = section
  const snapshot: Snapshot = {config, snaptime: Number(snaptime ?? 0)}
  if (parent !== undefined) snapshot.parent = parent
  if (description !== undefined) snapshot.description = description
  if (vmstate !== undefined) snapshot.vmstate = vmstate
  if (snapstate !== undefined) snapshot.snapstate = snapstate
  return snapshot
}

function parseSection(kind: Kind, text: string): Section {
  const section: Section = {}
  let description: string | undefined
  const raw: string[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const low = kind === 'lxc' ? /^(lxc\.[a-z0-9_\-.]+)(?::|\s*=)\s*(.*?)\s*$/.exec(line) : null
    const option = /^([a-z][a-z_-]*\d*):\s*(.+?)\s*$/.exec(line)
    if (line.startsWith('#')) {
      description = `${description ?? ''}${decodeText(line.slice(1))}\n`
    } else if (low) {
      const [, key = '', value = ''] = low
      if (key !== ENV_KEY) raw.push(`${key}: ${value}`)
      else section['env'] = section['env'] === undefined ? value : section['env'] + ENV_SEPARATOR + value
    } else if (option?.[1] === 'description') {
      description = (description ?? '') + decodeText(option[2] ?? '')
    } else if (option) {
      section[option[1] ?? ''] = option[2] ?? ''
    }
  }
  if (description !== undefined) {
    section['description'] = kind === 'lxc' ? description : description.replace(/[\s\x85]+$/, '')
  }
  if (raw.length > 0) section['lxc'] = raw.join(RAW_LINE_SEPARATOR)
  return section
}

/** Percent-encodes control and non-ASCII characters, `:` and `%`. */
function encodeText(text: string): string {
  if (/^[\x20-\x24\x26-\x39\x3b-\x7e]*$/.test(text)) return text
  let out = ''
  for (const byte of Buffer.from(text, 'utf8')) {
    const isSafe = byte >= 0x20 && byte <= 0x7e && byte !== 0x25 && byte !== 0x3a
    out += isSafe ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return out
}

function decodeText(text: string): string {
  if (!text.includes('%')) return text
  const bytes: number[] = []
  const source = Buffer.from(text, 'utf8')
  for (let i = 0; i < source.length; i++) {
    const hex = source[i] === 0x25 ? source.toString('latin1', i + 1, i + 3) : ''
    if (/^[0-9a-fA-F]{2}$/.test(hex)) {
      bytes.push(Number.parseInt(hex, 16))
      i += 2
    } else bytes.push(source[i] ?? 0)
  }
  return Buffer.from(bytes).toString('utf8')
}
