// What happens to a drive's volume when the drive goes: it stays as `unusedN`, or it is destroyed.
import {fileOf, isCdrom, isCloudinit, isDriveName, isPlainCdrom, parseDrive, type Drive} from './drive.ts'
import {requirePrivs} from '../../access/permissions.ts'
import {addUnusedVolume} from '../../guest/snapshots.ts'
import {die, PveError} from '../../pve-error.ts'
import {findStorage, freeVolume, parseVolname, tryParseVolid} from '../../storage/volumes.ts'
import type {QemuConf} from './conf.ts'
import type {Work} from './work.ts'
import type {Guest, Section} from '../../state.ts'

/** Keeps the volume as unused; a generated cloud-init drive is not worth keeping, a CD is not the machine's. */
export function registerUnused(work: Work, conf: QemuConf, drive: Drive): void {
  const volid = fileOf(drive)
  if (isCloudinit(drive)) {
    freeQuietly(work, volid)
    delete conf.cloudinit
  } else if (!isCdrom(drive) && isOwnVolume(work, volid)) {
    addUnusedVolume(conf.config, volid)
  }
}

/** Takes a drive out of the config: with force its volume is destroyed. */
export function detachDrive(work: Work, guest: Guest, conf: QemuConf, option: string, force: boolean): void {
  const drive = parseDrive(option, conf.config[option] ?? '')
  if (!drive) return
  if (!force) {
    registerUnused(work, conf, drive)
    return
  }
  if (work.subject) requirePrivs(work.subject, `/vms/${String(work.vmid)}`, ['VM.Config.Disk'])
  if (!isPlainCdrom(drive)) destroyVolume(work, guest, conf, option, fileOf(drive))
}

/** Destroys a volume of this machine's own; anybody else's is only forgotten. */
export function destroyVolume(work: Work, guest: Guest, conf: QemuConf, option: string, volid: string): void {
  if (!isOwnVolume(work, volid)) return
  const storage = tryParseVolid(volid)?.storage ?? ''
  if (work.subject) requirePrivs(work.subject, `/storage/${storage}`, ['Datastore.AllocateSpace'])
  const snapshots = Object.values(guest.snapshots).map((s) => s.config)
  if (usesVolume(conf.config, volid, option) || snapshots.some((s) => usesVolume(s, volid))) {
    die(`unable to delete '${volid}' - volume is still in use (snapshot?)`)
  }
  freeVolume(work.cluster, volid, work.node)
}

/** Whether the volume's name says that it belongs to this machine. */
function isOwnVolume(work: Work, volid: string): boolean {
  const id = tryParseVolid(volid)
  const storage = id && findStorage(work.cluster, id.storage)
  if (!storage) return false
  try {
    return parseVolname(storage, id.volname).vmid === work.vmid
  } catch (error) {
    if (error instanceof PveError) return false
    throw error
  }
}

function usesVolume(section: Section, volid: string, except?: string): boolean {
  return Object.entries(section).some(([key, text]) => {
    if (key === except || !isDriveName(key)) return false
    const drive = parseDrive(key, text)
    return drive !== undefined && !isCdrom(drive) && fileOf(drive) === volid
  })
}

/** Frees a volume; a failure is only told. */
export function freeQuietly(work: Work, volid: string): void {
  try {
    freeVolume(work.cluster, volid, work.node)
  } catch (error) {
    if (!(error instanceof PveError)) throw error
    work.log(error.message.trimEnd())
  }
}
