// POST move_disk: a disk to another storage or format; to another machine see reassign-disk.
import {requirePrivs} from '../../access/permissions.ts'
import {flag, optionalText, text, type Call} from '../../call.ts'
import {configDigest} from '../../guest/config-file.ts'
import {addUnusedVolume, checkLock, isTemplate} from '../../guest/snapshots.ts'
import {die, paramError, PveError} from '../../pve-error.ts'
import {freeVolume, hasContent, parseVolid, parseVolname, requireStorage} from '../../storage/volumes.ts'
import {fileOf, isPlainCdrom, type Drive} from '../config/drive.ts'
import {cloneDisk, type CloneDiskWork} from './clone-disk.ts'
import {isVolumeInUse, printDisk, readDisk} from './drives.ts'
import {reassignDisk} from './reassign-disk.ts'
import {convertDisks} from './template.ts'
import {isTruthy, MODIFIED, placeOf, reasonOf, requireVm, startTask, withVm} from './vm.ts'
import type {Guest} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

export function moveDisk(call: Call): string {
  const [storage, targetVmid] = [optionalText(call, 'storage'), optionalText(call, 'target-vmid')]
  if (isTruthy(targetVmid) && isTruthy(storage)) {
    const both = "either set 'storage' or 'target-vmid', but not both"
    paramError({'target-vmid': both, storage: both})
  }
  if (isTruthy(targetVmid)) return reassignDisk(call, Number(targetVmid))
  if (isTruthy(storage)) return moveToStorage(call, storage)
  const neither = "both 'storage' and 'target-vmid' missing, either needs to be set"
  paramError({'target-vmid': neither, storage: neither})
}

function moveToStorage(call: Call, storage: string): string {
  requirePrivs(call, `/storage/${storage}`, ['Datastore.AllocateSpace'])
  const place = placeOf(call)
  checkMove(call, requireVm(place), storage)
  return startTask(call, 'qmmove', (task) =>
    withVm(place, (guest) => copyAndSwitch(call, guest, storage, task)),
  )
}

function checkMove(call: Call, guest: Guest, storageId: string): Drive {
  const disk = text(call, 'disk')
  checkLock(guest)
  const digest = optionalText(call, 'digest')
  if (isTruthy(digest) && digest !== configDigest(guest)) die(MODIFIED)
  if (!isTruthy(guest.config[disk])) die(`disk '${disk}' does not exist`)
  const drive = readDisk(guest, disk)
  if (!drive) die(`disk '${disk}' has no associated volume`)
  if (isPlainCdrom(drive)) die("you can't move a cdrom")
  const {storage: oldStorage, volname} = parseVolid(fileOf(drive))
  const oldFormat = parseVolname(requireStorage(call.cluster, oldStorage), volname).format
  const format = optionalText(call, 'format')
  if (oldStorage === storageId && (!isTruthy(format) || format === oldFormat)) {
    die("you can't move to the same storage with same format")
  }
  if (!hasContent(requireStorage(call.cluster, storageId, guest.node), 'images')) {
    paramError({storage: `storage '${storageId}' does not support vm images`})
  }
  if (isVolumeInUse(guest, fileOf(drive), disk) && flag(call, 'delete')) {
    die("you can't move a disk with snapshots and delete the source")
  }
  return drive
}

async function copyAndSwitch(call: Call, guest: Guest, storage: string, task: TaskContext): Promise<void> {
  const {cluster} = call
  const disk = text(call, 'disk')
  const drive = checkMove(call, guest, storage)
  const oldVolid = fileOf(drive)
  const from = parseVolid(oldVolid).storage
  task.log(`copying volume '${oldVolid}' from current storage '${from}' to target storage '${storage}'`)
  const format = optionalText(call, 'format')
  const work: CloneDiskWork = {cluster, node: guest.node, task, made: []}
  const target = {vmid: guest.vmid, storage, ...(isTruthy(format) && {format})}
  try {
    const moved = await cloneDisk(work, {option: disk, drive}, target, true)
    guest.config[disk] = printDisk(disk, moved)
  } catch (error) {
    for (const volid of work.made) freeVolume(cluster, volid, guest.node)
    die(`storage migration failed: ${reasonOf(error)}`)
  }
  if (!flag(call, 'delete')) {
    const key = addUnusedVolume(guest.config, oldVolid)
    task.log(`adding source volume '${oldVolid}' as '${key ?? ''}' to config`)
  }
  if (isTemplate(guest)) convertDisks(cluster, guest, disk)
  if (!flag(call, 'delete')) return
  task.log(`removing source volume '${oldVolid}' after successful copy`)
  removeSource(call, guest, oldVolid, task)
}

/** The move has happened; a source that cannot be removed is only told. */
function removeSource(call: Call, guest: Guest, volid: string, task: TaskContext): void {
  try {
    freeVolume(call.cluster, volid, guest.node)
  } catch (error) {
    if (!(error instanceof PveError)) throw error
    task.log(error.message.trimEnd())
  }
}
