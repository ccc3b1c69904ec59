// A disk that is already there, seen through what was written about it: a new volume in the files is the one
// that Proxmox made of it, what only creation reads is done, and a size is what the storage made of it.
import type {Option} from './option.ts'
import type {Parts} from './property-string.ts'
import {formatSize, parseSizeBytes} from './sizes.ts'
import {isCloudInit, isNewCloudInit, parseNewVolume, storageOf} from './volumes.ts'

/** Storages round up to their extents, 4 MiB at most. */
const EXTENT_BYTES = 4 * 1024 ** 2
/** Proxmox decides how large these are. */
const FIXED_SIZE: ReadonlySet<string> = new Set(['efidisk0', 'tpmstate0'])
/** Read when the volume is made, and not kept. */
const CREATION_ONLY = ['format', 'import-from'] as const

export function volumeKey(option: Option): 'volume' | 'file' {
  return option.kind === 'lxc' ? 'volume' : 'file'
}

/** Changes `merged`, what would be sent, in the light of what is live and of what somebody wrote. */
export function mergeVolume(
  option: Option,
  live: ReadonlyMap<string, string>,
  merged: Parts,
  written: ReadonlyMap<string, string | null>,
): void {
  const key = volumeKey(option)
  const has = live.get(key)
  if (has === undefined) return
  const wanted = merged.get(key) ?? has
  merged.set(key, wanted)
  if (wanted === has) keepSize(live, merged)
  else if (isMadeOf(has, wanted)) adoptVolume(option, live, merged, wanted, has)
  else {
    // Another volume: the size of this one says nothing about it.
    if (!written.has('size')) merged.delete('size')
    return
  }
  for (const name of CREATION_ONLY) if (!live.has(name)) merged.delete(name)
  settleSize(option, live, merged)
}

/** Is this volume what Proxmox would have made of that wish? */
function isMadeOf(has: string, wanted: string): boolean {
  if (storageOf(has) !== storageOf(wanted) || parseNewVolume(has)) return false
  return isNewCloudInit(wanted) ? isCloudInit(has) : parseNewVolume(wanted) !== undefined
}

function adoptVolume(
  option: Option,
  live: ReadonlyMap<string, string>,
  merged: Parts,
  wanted: string,
  has: string,
): void {
  merged.set(volumeKey(option), has)
  const bytes = parseNewVolume(wanted)?.bytes ?? 0
  if (bytes === 0 || merged.has('import-from')) merged.delete('size')
  else merged.set('size', formatSize(bytes))
  keepSize(live, merged)
}

function keepSize(live: ReadonlyMap<string, string>, merged: Parts): void {
  const size = live.get('size')
  if (size !== undefined && !merged.has('size')) merged.set('size', size)
}

function settleSize(option: Option, live: ReadonlyMap<string, string>, merged: Parts): void {
  const text = live.get('size')
  const isBytes = parseSizeBytes(text ?? '')
  const wantedBytes = parseSizeBytes(merged.get('size') ?? '')
  if (text === undefined || isBytes === undefined || wantedBytes === undefined) return
  const roundedBytes = Math.ceil(wantedBytes / EXTENT_BYTES) * EXTENT_BYTES
  const isRounded = isBytes >= wantedBytes && isBytes <= roundedBytes
  if (isRounded || FIXED_SIZE.has(option.name)) merged.set('size', text)
}
