// Turns the drives of a request into drives of a config: new volumes are allocated, cloud-init drives made,
// images imported, existing volumes looked up. What was allocated is freed again when one of them fails.
import {
  cloudinitOption,
  fileOf,
  isCloudinit,
  isDriveName,
  isTrue,
  newDisk,
  parseDrive,
  printDrive,
  type Drive,
} from './drive.ts'
import {importVolume} from './import-volume.ts'
import {freeQuietly} from './unused-volumes.ts'
import {checkVolumeAccess} from '../../guest/volume-access.ts'
import {die} from '../../pve-error.ts'
import {
  allocateVolume,
  makeBaseVolume,
  parseVolname,
  requireStorage,
  requireVolume,
  storageType,
  tryParseVolid,
} from '../../storage/volumes.ts'
import type {Work} from './work.ts'
import type {Section} from '../../state.ts'

const KiB = 1024
const MiB = 1024 * KiB
const GiB = 1024 * MiB
const CLOUDINIT_BYTES = 4 * MiB
const TPM_BYTES = 4 * MiB
const EFI_BYTES: Record<string, number> = {'2m': 128 * KiB, '4m': 528 * KiB}

export interface DiskRequest {
  /** The drives as the caller wrote them; other options are passed over. */
  settings: Section
  /** The config and what waits in it, for there is one cloud-init drive at most. */
  config: Section
  pending?: Section
  /** For `8` instead of `local:8`; only when a machine is created. */
  defaultStorage?: string
  /** Gets every volume that was made, for the caller to free should its own work fail later. */
  made?: string[]
}

/** The drives as they are to be stored. */
export function createDisks(work: Work, request: DiskRequest): Section {
  const made: string[] = request.made ?? []
  const stored: Section = {}
  try {
    for (const option of Object.keys(request.settings).filter(isDriveName).sort()) {
      const drive = parseDrive(option, request.settings[option] ?? '')
      if (drive) stored[option] = createDisk({work, request, made, stored, option}, drive)
    }
  } catch (error) {
    for (const volid of made.splice(0)) freeQuietly(work, volid)
    throw error
  }
  return stored
}

interface DiskWork {
  work: Work
  request: DiskRequest
  made: string[]
  stored: Section
  option: string
}

function createDisk(disk: DiskWork, drive: Drive): string {
  const file = fileOf(drive)
  if (file === 'none' || file === 'cdrom') {
    Reflect.deleteProperty(drive, 'size')
    return printDrive(disk.option, drive)
  }
  if (tryParseVolid(file)?.volname === 'cloudinit') return makeCloudinit(disk, drive)
  if (newDisk(drive)) return makeDisk(disk, drive)
  return attachVolume(disk, drive)
}

function checkOneCloudinit({request, stored, option}: DiskWork): void {
  const taken = [request.config, request.pending ?? {}, stored]
    .map((section) => cloudinitOption(section, option))
    .find((key) => key !== undefined)
  if (taken !== undefined) die(`${option} - cloud-init drive is already attached at '${taken}'`)
}

function makeCloudinit(disk: DiskWork, drive: Drive): string {
  const {work, made, option} = disk
  checkOneCloudinit(disk)
  const storage = requireStorage(work.cluster, tryParseVolid(fileOf(drive))?.storage ?? '')
  const isFolder = storageType(storage).naming === 'file'
  const volume = allocateVolume(work.cluster, {
    storage: storage.storage,
    node: work.node,
    vmid: work.vmid,
    sizeBytes: CLOUDINIT_BYTES,
    content: 'images',
    format: drive['format'] ?? (isFolder ? 'qcow2' : 'raw'),
    tail: 'cloudinit',
  })
  made.push(volume.volid)
  Reflect.deleteProperty(drive, 'format')
  return announce(disk, printDrive(option, {...drive, file: volume.volid, media: 'cdrom'}))
}

function makeDisk(disk: DiskWork, drive: Drive): string {
  const {work, request, option} = disk
  const wanted = newDisk(drive)
  const storage = wanted?.storage ?? request.defaultStorage
  if (!wanted || storage === undefined) die('no storage ID specified (and no default storage)')
  const {format, 'import-from': source, ...rest} = drive
  const target = {storage, node: work.node, vmid: work.vmid, ...(isTrue(format) && format && {format})}
  let volume =
    source === undefined
      ? allocateVolume(work.cluster, {...target, sizeBytes: sizeOf(option, drive), content: 'images'})
      : importVolume(work, source, target)
  if (request.config['template'] === '1') volume = makeBaseVolume(work.cluster, volume.volid, work.node)
  disk.made.push(volume.volid)
  return announce(disk, printDrive(option, {...rest, file: volume.volid, size: String(volume.size)}))
}

/** Firmware variables and TPM state have sizes of their own, whatever was asked. */
function sizeOf(option: string, drive: Drive): number {
  if (option === 'tpmstate0') return TPM_BYTES
  if (option === 'efidisk0') return EFI_BYTES[drive['efitype'] ?? '2m'] ?? 0
  return Math.ceil((newDisk(drive)?.sizeGib ?? 0) * (GiB / KiB)) * KiB
}

function attachVolume(disk: DiskWork, drive: Drive): string {
  const {work, option} = disk
  const volid = fileOf(drive)
  if (work.subject) checkVolumeAccess(work.subject, work.vmid, volid)
  const id = tryParseVolid(volid)
  if (!id) die(`volume ${volid} does not exist`)
  const name = parseVolname(requireStorage(work.cluster, id.storage), id.volname)
  const format = drive['format']
  if (isTrue(format) && format !== name.format) {
    die(
      `drive '${option}' - volume '${volid}' - 'format=${String(format)}' option different` +
        ` from storage format '${name.format}'`,
    )
  }
  if (isCloudinit(drive)) checkOneCloudinit(disk)
  const volume = requireVolume(work.cluster, volid, work.node)
  return printDrive(option, {...drive, size: String(volume.size)})
}

function announce({work, option}: DiskWork, text: string): string {
  work.log(`${option}: successfully created disk '${text}'`)
  return text
}
