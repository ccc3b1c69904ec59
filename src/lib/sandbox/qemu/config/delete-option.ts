// Takes one option out of a machine's config: most only wait to go, an unused volume is destroyed at once.
import {fileOf, isDriveName, isPlainCdrom, parseDrive} from './drive.ts'
import {checkDrivePrivileges} from './drive-params.ts'
import {isNetName, parseNet} from './net.ts'
import {checkDevice, isHostDevice} from './option-privileges.ts'
import {destroyVolume, registerUnused} from './unused-volumes.ts'
import {changeBootOrder, type Writing} from './writing.ts'
import {requirePrivs} from '../../access/permissions.ts'
import {checkBridgeAccess} from '../../guest/bridge-access.ts'
import {addPendingDelete, unset} from '../../guest/pending.ts'
import {checkTagPermissions} from '../../guest/tags.ts'
import {die} from '../../pve-error.ts'
import type {QemuConf} from './conf.ts'

/** Returns whether the config is to be written. */
export function deleteOption(writing: Writing, conf: QemuConf, option: string): boolean {
  const value = conf.config[option] ?? conf.pending[option]
  if (value === undefined) {
    writing.work.log(`cannot delete '${option}' - not set in current configuration!`)
    return false
  }
  writing.modified.add(option)
  const waiting = conf.pending[option]
  unset(conf.pending, option)
  if (writing.bootOrder.includes(option)) {
    changeBootOrder(
      writing,
      conf.pending,
      writing.bootOrder.filter((device) => device !== option),
    )
  }
  if (option.startsWith('unused')) return destroyUnused(writing, conf, option, value)
  if (option === 'vmstate') return destroyState(writing, conf, value)
  if (option === 'tags') {
    checkTagPermissions(writing.work.subject, writing.work.vmid, value, '')
    unset(conf.config, option)
    return true
  }
  if (isDriveName(option)) releaseDrive(writing, conf, option, value, waiting)
  else checkDeletion(writing, conf, option, value)
  addPendingDelete(conf, option, writing.request.force)
  return true
}

function checkProtection(conf: QemuConf, what: string): void {
  const {protection} = conf.config
  if (protection === '1') die(`${what} - protection mode enabled`)
}

function destroyUnused(writing: Writing, conf: QemuConf, option: string, value: string): boolean {
  const {work, guest} = writing
  const drive = parseDrive(option, value) ?? {file: value}
  checkProtection(conf, `can't remove unused disk '${fileOf(drive)}'`)
  requirePrivs(work.subject, `/vms/${String(work.vmid)}`, ['VM.Config.Disk'])
  if (isPlainCdrom(drive)) return false
  destroyVolume(work, guest, conf, option, fileOf(drive))
  unset(conf.config, option)
  return true
}

function destroyState(writing: Writing, conf: QemuConf, volid: string): boolean {
  checkProtection(conf, `can't remove vmstate '${volid}'`)
  destroyVolume(writing.work, writing.guest, conf, 'vmstate', volid)
  unset(conf.config, 'vmstate')
  return true
}

/** The volume of a drive that never took effect is unused from now on. */
function releaseDrive(
  writing: Writing,
  conf: QemuConf,
  option: string,
  value: string,
  waiting: string | undefined,
): void {
  const {subject, vmid} = writing.work
  checkProtection(conf, `can't remove drive '${option}'`)
  checkDrivePrivileges(subject, vmid, option, value)
  const drive = waiting === undefined ? undefined : parseDrive(option, value)
  if (drive) registerUnused(writing.work, conf, drive)
}

function checkDeletion({work}: Writing, conf: QemuConf, option: string, value: string): void {
  const {subject, vmid} = work
  const current = conf.config[option]
  if (isHostDevice(option)) checkDevice(subject, vmid, option, [value], 'delete')
  else if (isNetName(option) && current !== undefined) checkBridgeAccess(subject, parseNet(current))
}
