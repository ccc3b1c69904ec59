// One drive of a machine: `local:201/vm-201-disk-0.qcow2,discard=on,size=1G` as keys and values and back. It knows
// the rules that hold between a drive's own keys; `size` is kept in bytes while parsed.
import {optionFormat, optionSchema} from './option-schema.ts'
import {PveError} from '../../pve-error.ts'
import {parsePropertyString, printPropertyString} from '../../schema/property-string.ts'
import {parseSize} from '../../schema/sizes.ts'
import type {Section} from '../../state.ts'

/** Keys of the drive's property string; `file` is always there. */
export type Drive = Record<string, string>

/** `local:8` asks for a new volume of 8 GiB. */
const NEW_DISK = /^(([^/:\s]+):)?(\d+(\.\d+)?)$/
const CLOUDINIT = /[:/](?:vm-\d+-)?cloudinit(?:\.(?:raw|qcow|qcow2|qed|vmdk|cloop))?$/
const DROPPED = ['cyls', 'heads', 'secs', 'trans']

/** The order in which Proxmox walks through drives. */
const FAMILIES = ['ide', 'scsi', 'virtio', 'sata', 'efidisk', 'tpmstate'] as const

export function isDriveName(option: string): boolean {
  const family = /^(ide|scsi|virtio|sata|efidisk|tpmstate)\d+$/.exec(option)
  return family !== null && optionSchema(option) !== undefined
}

const rank = (option: string): number =>
  FAMILIES.findIndex((f) => option.startsWith(f) && /^\d+$/.test(option.slice(f.length)))

/** The drives of a section in Proxmox's order; texts that do not parse are left out. */
export function drivesOf(section: Section): {option: string; drive: Drive}[] {
  const numberOf = (option: string): number => Number(/\d+$/.exec(option)?.[0])
  return Object.keys(section)
    .filter(isDriveName)
    .sort((a, b) => rank(a) - rank(b) || numberOf(a) - numberOf(b))
    .flatMap((option) => {
      const drive = parseDrive(option, section[option] ?? '')
      return drive ? [{option, drive}] : []
    })
}

/** Undefined where the text is no drive, or where its keys contradict each other. */
export function parseDrive(option: string, text: string): Drive | undefined {
  const drive = tryParse(option, text)
  if (!drive || !takeBytesPerSecond(drive) || !isConsistent(option, drive)) return undefined
  if (isTrue(drive['size'])) {
    const bytes = parseSize(drive['size'] ?? '')
    if (bytes === undefined) return undefined
    drive['size'] = String(bytes)
  }
  return drive
}

export function printDrive(option: string, drive: Drive): string {
  return printPropertyString(drive, optionFormat(option))
}

export const fileOf = (drive: Drive): string => drive['file'] ?? ''

export const isCloudinit = (drive: Drive): boolean => CLOUDINIT.test(fileOf(drive))

export const isCdrom = (drive: Drive): boolean => drive['media'] === 'cdrom'

/** A CD drive that the user put there, in contrast to the generated one. */
export const isPlainCdrom = (drive: Drive): boolean => isCdrom(drive) && !isCloudinit(drive)

export interface NewDisk {
  storage: string | undefined
  sizeGib: number
}

/** What `local:8` asks for; undefined where the drive names a volume. */
export function newDisk(drive: Drive): NewDisk | undefined {
  const match = NEW_DISK.exec(fileOf(drive))
  return match ? {storage: match[2], sizeGib: Number(match[3])} : undefined
}

/** The cloud-init drive of a section, other than `except`. */
export function cloudinitOption(section: Section, except?: string): string | undefined {
  return drivesOf(section).find(({option, drive}) => option !== except && isCloudinit(drive))?.option
}

/** Perl's truth of a text. */
export const isTrue = (text: string | undefined): boolean => text !== undefined && text !== '' && text !== '0'

function tryParse(option: string, text: string): Drive | undefined {
  try {
    return parsePropertyString(optionFormat(option), text, {skip: DROPPED})
  } catch (error) {
    if (error instanceof PveError) return undefined
    throw error
  }
}

/** The old keys in bytes become keys in megabytes. Proxmox counts the mere presence as one byte. */
function takeBytesPerSecond(drive: Drive): boolean {
  for (const key of ['bps', 'bps_rd', 'bps_wr']) {
    if (drive[key] === undefined) continue
    Reflect.deleteProperty(drive, key)
    if (drive[`m${key}`] !== undefined) return false
    drive[`m${key}`] = '0.000'
  }
  return true
}

const REQUIRES: readonly [string, string][] = [
  ['mbps_max', 'mbps'],
  ['mbps_rd_max', 'mbps_rd'],
  ['mbps_wr_max', 'mbps_wr'],
  ['bps_max_length', 'mbps_max'],
  ['bps_rd_max_length', 'mbps_rd_max'],
  ['bps_wr_max_length', 'mbps_wr_max'],
  ['iops_max_length', 'iops_max'],
  ['iops_rd_max_length', 'iops_rd_max'],
  ['iops_wr_max_length', 'iops_wr_max'],
]

function isConsistent(option: string, drive: Drive): boolean {
  const has = (key: string): boolean => isTrue(drive[key])
  if (REQUIRES.some(([key, required]) => has(key) && !has(required))) return false
  if (has('mbps') && (has('mbps_rd') || has('mbps_wr'))) return false
  if (has('iops') && (has('iops_rd') || has('iops_wr'))) return false
  if (!isCdrom(drive)) return true
  return !has('snapshot') && !has('format') && !option.startsWith('virtio')
}
