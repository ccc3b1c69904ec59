// The drives of a request before anything is written: are they drives at all, and may the caller use what they
// name? Shared by updates and by the creation of machines.
import {
  fileOf,
  isCdrom,
  isCloudinit,
  isDriveName,
  isPlainCdrom,
  newDisk,
  parseDrive,
  printDrive,
  type Drive,
} from './drive.ts'
import {requirePrivs, type Subject} from '../../access/permissions.ts'
import {checkVolumeAccess} from '../../guest/volume-access.ts'
import {die, paramError, PveError} from '../../pve-error.ts'
import {findStorage, hasContent, parseVolname, requireStorage, tryParseVolid} from '../../storage/volumes.ts'
import type {Cluster} from '../../cluster.ts'
import type {Section} from '../../state.ts'

/** Checks each drive by itself and returns the settings with their drives in Proxmox's own spelling. */
export function normaliseDrives(cluster: Cluster, settings: Section): Section {
  const normalised: Section = {...settings}
  for (const option of Object.keys(settings).filter(isDriveName).sort()) {
    const drive = parseDrive(option, settings[option] ?? '')
    if (!drive) paramError({[option]: 'unable to parse drive options'})
    if (drive['import-from'] !== undefined) checkImport(option, drive)
    completeMedia(cluster, option, drive)
    requireExplicitCdrom(cluster, option, drive)
    normalised[option] = printDrive(option, drive)
  }
  return normalised
}

function checkImport(option: string, drive: Drive): void {
  if (newDisk(drive)?.sizeGib !== 0) {
    paramError({
      [option]: "'import-from' requires special syntax - use <storage ID>:0,import-from=<source>",
    })
  }
  const required =
    option === 'efidisk0' ? ['efitype', 'pre-enrolled-keys'] : option === 'tpmstate0' ? ['version'] : []
  const missing = required.find((key) => drive[key] === undefined)
  if (missing !== undefined) paramError({[option]: `need to specify '${missing}' when using 'import-from'`})
}

/** A plain path is no volume that the sandbox knows; `none` and `cdrom` are CD drives by nature. */
function completeMedia(cluster: Cluster, option: string, drive: Drive): void {
  const file = fileOf(drive)
  const isKnown = /^(?:cdrom|none)$|^\/dev\/.|^[^:]+:.|^\d+$/.test(file)
  if (!isKnown) {
    const volid = volumeAtPath(cluster, file)
    if (!volid) paramError({[option]: `unable to associate path '${file}' to any storage`})
    if (volid.content === 'iso') drive['media'] ??= 'cdrom'
    const expected = drive['media'] === 'cdrom' ? 'iso' : 'images'
    if (drive['media'] !== undefined && volid.content !== expected) {
      paramError({[option]: `unexpected media type (${volid.content} != ${expected})`})
    }
    drive['file'] = volid.volid
  }
  if (/^(?:cdrom|none)$/.test(fileOf(drive))) drive['media'] ??= 'cdrom'
}

const FOLDERS: readonly [string, string][] = [
  ['template/iso', 'iso'],
  ['template/cache', 'vztmpl'],
  ['dump', 'backup'],
  ['snippets', 'snippets'],
  ['import', 'import'],
]

function volumeAtPath(cluster: Cluster, path: string): {volid: string; content: string} | undefined {
  for (const {storage, config} of cluster.state.storages) {
    const root = config['path']
    if (root === undefined || !path.startsWith(`${root}/`)) continue
    const inside = path.slice(root.length + 1)
    const image = /^images\/(\d+\/[^/\s]+)$/.exec(inside)?.[1]
    if (image !== undefined) return {volid: `${storage}:${image}`, content: 'images'}
    for (const [folder, content] of FOLDERS) {
      const name = inside.startsWith(`${folder}/`) ? inside.slice(folder.length + 1) : ''
      if (name !== '' && !name.includes('/')) return {volid: `${storage}:${content}/${name}`, content}
    }
  }
  return undefined
}

function requireExplicitCdrom(cluster: Cluster, option: string, drive: Drive): void {
  const id = newDisk(drive) ? undefined : tryParseVolid(fileOf(drive))
  if (!id || id.volname === 'cloudinit') return
  const {content} = parseVolname(requireStorage(cluster, id.storage), id.volname)
  if (content === 'iso' && !isCdrom(drive)) {
    paramError({[option]: "explicit 'media=cdrom' is required for iso images"})
  }
}

export interface DriveAccess {
  vmid: number
  defaultStorage?: string
}

/** May the caller allocate, attach and import what these settings ask for? */
export function checkDriveAccess(subject: Subject, settings: Section, access: DriveAccess): void {
  for (const option of Object.keys(settings).filter(isDriveName).sort()) {
    const drive = parseDrive(option, settings[option] ?? '')
    if (drive) checkOneDrive(subject, option, drive, access)
  }
  const {vmstatestorage} = settings
  if (vmstatestorage !== undefined) {
    requirePrivs(subject, `/storage/${vmstatestorage}`, ['Datastore.AllocateSpace'])
  }
}

function checkOneDrive(subject: Subject, option: string, drive: Drive, access: DriveAccess): void {
  const file = fileOf(drive)
  const wanted = isCdrom(drive) ? undefined : newDisk(drive)
  if (file === 'none' || tryParseVolid(file)?.volname === 'cloudinit') return
  if (file === 'cdrom' && isCdrom(drive)) {
    requirePrivs(subject, '/', ['Sys.Console'])
  } else if (wanted) {
    checkAllocation(subject, wanted.storage ?? access.defaultStorage)
  } else {
    checkAttachment(subject, option, file, access.vmid)
  }
  const source = drive['import-from']
  if (source !== undefined) checkImportSource(subject, option, source, access.vmid)
}

function checkAllocation(subject: Subject, storage: string | undefined): void {
  if (storage === undefined) die('no storage ID specified (and no default storage)')
  requirePrivs(subject, `/storage/${storage}`, ['Datastore.AllocateSpace'])
  if (!hasContent(requireStorage(subject.cluster, storage), 'images')) {
    paramError({storage: `storage '${storage}' does not support vm images`})
  }
}

function checkAttachment(subject: Subject, option: string, volid: string, vmid: number): void {
  checkVolumeAccess(subject, vmid, volid)
  const id = tryParseVolid(volid)
  if (!id) return
  const {content} = parseVolname(requireStorage(subject.cluster, id.storage), id.volname)
  if (content !== 'images' && content !== 'iso') {
    paramError({[option]: "content type needs to be 'images' or 'iso'"})
  }
}

function checkImportSource(subject: Subject, option: string, source: string, vmid: number): void {
  const id = tryParseVolid(source)
  const volume = id && parseVolname(requireStorage(subject.cluster, id.storage), id.volname)
  if (volume && volume.content !== 'images' && volume.content !== 'import') {
    paramError({[option]: `${source} has wrong type '${volume.content}' - needs to be 'images' or 'import'`})
  }
  if (volume?.vmid !== undefined) requirePrivs(subject, `/vms/${String(volume.vmid)}`, ['VM.Clone'])
  else checkVolumeAccess(subject, vmid, source)
}

/** What a drive asks for by its nature: a disk, a CD, or the generated cloud-init drive. */
export function checkDrivePrivileges(subject: Subject, vmid: number, option: string, text: string): void {
  const drive = parseDrive(option, text)
  const privileges =
    drive && isCloudinit(drive)
      ? ['VM.Config.Cloudinit', 'VM.Config.CDROM']
      : [drive && isPlainCdrom(drive) ? 'VM.Config.CDROM' : 'VM.Config.Disk']
  requirePrivs(subject, `/vms/${String(vmid)}`, privileges)
}

/** Undefined where the snippet may be used as a hook script, else why not. */
export function hookscriptProblem(cluster: Cluster, node: string, volid: string): string | undefined {
  const id = tryParseVolid(volid)
  const storage = id && findStorage(cluster, id.storage)
  if (!id) return `unable to parse volume ID '${volid}'\n`
  if (!storage) return `storage '${id.storage}' does not exist\n`
  try {
    if (parseVolname(storage, id.volname).content !== 'snippets') {
      return `'${volid}' is not in the snippets directory\n`
    }
  } catch (error) {
    if (error instanceof PveError) return error.message
    throw error
  }
  const isThere = storage.volumes.some((v) => v.volid === volid && (v.node === undefined || v.node === node))
  return isThere ? undefined : `script '${volid}' does not exist\n`
}
