// Mount points of containers: their text, their volumes, and the `unused` entries they leave behind.
import {die} from '../../pve-error.ts'
import {parsePropertyString, printPropertyString} from '../../schema/property-string.ts'
import {parseSize} from '../../schema/sizes.ts'
import {
  allocateVolume,
  findVolume,
  freeVolume,
  parseVolid,
  parseVolname,
  requireStorage,
} from '../../storage/volumes.ts'
import {optionFormat} from './option-schema.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'
import type {Staged} from '../../guest/pending.ts'

export interface MountPoint {
  type: 'volume' | 'bind' | 'device'
  volume: string
  /** Every key of the option, `size` in bytes. */
  values: Record<string, string>
}

const MAX_UNUSED = 256
const NEW_DISK = /^([^:\s]+):(\d+(?:\.\d+)?)$/
const MIB = 1024 * 1024

export function parseMountPoint(option: string, text: string): MountPoint {
  const values = parsePropertyString(optionFormat(option), text)
  const volume = values['volume'] ?? ''
  if (values['size'] !== undefined) values['size'] = String(parseSize(values['size']) ?? 0)
  return {type: mountType(volume), volume, values}
}

export function printMountPoint(option: string, values: Record<string, string>): string {
  return printPropertyString(values, optionFormat(option))
}

function mountType(volume: string): MountPoint['type'] {
  if (!volume.startsWith('/')) return 'volume'
  return volume.startsWith('/dev/') ? 'device' : 'bind'
}

/** `local:8` asks for a new volume of 8 GiB; undefined for a volume that exists. */
export function newDisk(volume: string): {storage: string; sizeBytes: number} | undefined {
  const match = NEW_DISK.exec(volume)
  if (!match) return undefined
  return {storage: match[1] ?? '', sizeBytes: Math.trunc(Number(match[2]) * 1024) * MIB}
}

export function isMountPoint(option: string): boolean {
  return /^mp\d+$/.test(option)
}

/** The volumes that rootfs and mount points of a section name. */
export function usedVolumes(section: Section): Set<string> {
  const used = new Set<string>()
  for (const [key, text] of Object.entries(section)) {
    if (key !== 'rootfs' && !isMountPoint(key)) continue
    const named = /(?:^|,)volume=([^,]*)/.exec(text)?.[1]
    used.add(named ?? text.split(',', 1)[0] ?? '')
  }
  return used
}

/** Remembers a detached volume under the first free `unused` entry, once. */
export function addUnused(config: Section, volid: string): void {
  let free: string | undefined
  for (let index = MAX_UNUSED - 1; index >= 0; index--) {
    const key = `unused${String(index)}`
    if (config[key] === undefined) free = key
    else if (config[key] === volid) return
  }
  if (free === undefined) die('Too many unused volumes - please delete them first.')
  config[free] = volid
}

/** Destroys the volume of an `unused` entry, if it is the container's own and nothing else names it. */
export function destroyUnused(cluster: Cluster, guest: Guest, staged: Staged, option: string): void {
  const volid = staged.config[option] ?? ''
  const snapshots = Object.values(guest.snapshots).map((snapshot) => snapshot.config)
  if ([staged.config, staged.pending, ...snapshots].some((section) => usedVolumes(section).has(volid))) return
  if (mountType(volid) !== 'volume') return
  const {storage, volname} = parseVolid(volid)
  if (parseVolname(requireStorage(cluster, storage), volname).vmid !== guest.vmid) return
  freeVolume(cluster, volid, guest.node)
}

/**
 * Brings a pending mount point to its final text: a new volume is allocated, an existing one is asked for its
 * size. What the option held before becomes unused.
 */
export function settleMountPoint(cluster: Cluster, guest: Guest, staged: Staged, option: string): void {
  const {type, volume, values} = parseMountPoint(option, staged.pending[option] ?? '')
  const wanted = type === 'volume' ? newDisk(volume) : undefined
  if (wanted) {
    const made = allocateVolume(cluster, {...wanted, node: guest.node, vmid: guest.vmid, content: 'rootdir'})
    values['volume'] = made.volid
    values['size'] = String(wanted.sizeBytes)
  } else if (type === 'volume') {
    const found = findVolume(cluster, volume, guest.node)
    if (found) values['size'] = String(found.size)
  }
  staged.pending[option] = printMountPoint(option, values)
  const before = staged.config[option]
  if (before === undefined) return
  const old = parseMountPoint(option, before)
  if (old.type === 'volume') addUnused(staged.config, old.volume)
}
