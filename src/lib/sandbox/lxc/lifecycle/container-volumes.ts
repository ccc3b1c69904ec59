// The volumes that a container's config names, and how one is exchanged for another without touching the rest
// of its mount point.
import {PveError} from '../../pve-error.ts'
import {parseMountPoint, printMountPoint, type MountPoint} from '../config/mount-points.ts'
import type {Section} from '../../state.ts'

export interface NamedMountPoint extends MountPoint {
  option: string
}

export interface NamedVolume {
  option: string
  volid: string
}

const MOUNT_OPTION = /^(?:rootfs|mp\d+)$/
const UNUSED_OPTION = /^unused\d+$/

/** rootfs first, then mp0, mp1, …; unused volumes only on demand. */
export function mountPointsOf(section: Section, includeUnused = false): NamedMountPoint[] {
  return Object.keys(section)
    .filter((key) => MOUNT_OPTION.test(key) || (includeUnused && UNUSED_OPTION.test(key)))
    .sort((a, b) => place(a) - place(b))
    .map((option) => ({option, ...parseMountPoint(option, section[option] ?? '')}))
}

/** Those of them that are volumes of a storage, no bind mounts and no devices. */
export function volumesIn(section: Section, includeUnused = false): NamedVolume[] {
  return mountPointsOf(section, includeUnused)
    .filter((m) => m.type === 'volume')
    .map(({option, volume}) => ({option, volid: volume}))
}

/** The mount point with another volume and, where given, another size. */
export function exchangeVolume(section: Section, option: string, volid: string, sizeBytes?: number): string {
  const {values} = parseMountPoint(option, section[option] ?? '')
  if (sizeBytes !== undefined) values['size'] = String(sizeBytes)
  return printMountPoint(option, {...values, volume: volid})
}

function place(option: string): number {
  if (option === 'rootfs') return -1
  const index = Number(/\d+$/.exec(option)?.[0] ?? 0)
  return option.startsWith('unused') ? 1000 + index : index
}

/** The mount point that a resize or move names; an option that is not set is a text without its required keys. */
export function requireMountPoint(section: Section, option: string): MountPoint {
  const value = section[option]
  if (value !== undefined) return parseMountPoint(option, value)
  const missing = 'property is missing and it is not optional'
  const errors =
    MOUNT_OPTION.test(option) && option !== 'rootfs' ? {mp: missing, volume: missing} : {volume: missing}
  throw new PveError(500, 'format error\n', errors)
}
