// What a machine's life asks of its drives, beyond what one drive says of itself.
import {drivesOf, fileOf, isCdrom, isDriveName, parseDrive, printDrive, type Drive} from '../config/drive.ts'
import type {Guest, Section} from '../../state.ts'

export interface NamedDrive {
  option: string
  drive: Drive
}

export const isUnusedName = (option: string): boolean => /^unused\d+$/.test(option)

/** The hard disks: what is snapshotted, backed up, migrated. */
export const disksOf = (section: Section): NamedDrive[] =>
  drivesOf(section).filter(({drive}) => !isCdrom(drive))

export const volidOf = ({drive}: NamedDrive): string => fileOf(drive)

/** Drives, then what is kept as `unusedN`. */
export function drivesWithUnused(section: Section): NamedDrive[] {
  const unused = Object.keys(section).filter(isUnusedName)
  return [...drivesOf(section), ...unused.map((option) => ({option, drive: {file: section[option] ?? ''}}))]
}

const MAX_NETS = 32

/** The devices a new machine boots from: first disk, first CD drive, first NIC. */
export function defaultBootDevices(section: Section): string[] {
  const bootable = drivesOf(section).filter(({option}) => option !== 'efidisk0' && option !== 'tpmstate0')
  const disk = bootable.find(({drive}) => !isCdrom(drive))?.option
  const cdrom = bootable.find(({drive}) => isCdrom(drive))?.option
  const nics = Array.from({length: MAX_NETS}, (_, n) => `net${String(n)}`)
  return [disk, cdrom, nics.find((nic) => section[nic] !== undefined)].filter((name) => name !== undefined)
}

/** Whether another drive, or with a drive's own name given one of any snapshot, uses the volume. */
export function isVolumeInUse(guest: Guest, volid: string, except?: string): boolean {
  const uses = (section: Section, skipped?: string): boolean =>
    Object.keys(section).some(
      (option) =>
        option !== skipped && isDriveName(option) && (section[option] ?? '').split(',', 1)[0] === volid,
    )
  return uses(guest.config, except) || Object.values(guest.snapshots).some((s) => uses(s.config))
}

/** A drive, or a volume that is kept as unused. */
export function readDisk(guest: Guest, disk: string): Drive | undefined {
  const stored = guest.config[disk] ?? ''
  return isUnusedName(disk) ? {file: stored} : parseDrive(disk, stored)
}

export const printDisk = (disk: string, drive: Drive): string =>
  isUnusedName(disk) ? fileOf(drive) : printDrive(disk, drive)
