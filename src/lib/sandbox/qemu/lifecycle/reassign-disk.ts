// POST move_disk with `target-vmid`: a disk becomes another machine's, under that machine's name for it.
import {requirePrivs, ROOT} from '../../access/permissions.ts'
import {optionalText, text, type Call, type Params} from '../../call.ts'
import {configDigest} from '../../guest/config-file.ts'
import {checkLock, isTemplate} from '../../guest/snapshots.ts'
import {die, paramError} from '../../pve-error.ts'
import {parseVolid, reassignVolume, tryParseVolid, volumeHasFeature} from '../../storage/volumes.ts'
import {bootDevices, printBootOrder} from '../config/boot-order.ts'
import {fileOf, isPlainCdrom, parseDrive, type Drive} from '../config/drive.ts'
import {updateUnderLock} from '../config/update.ts'
import {isUnusedName, isVolumeInUse, printDisk, readDisk} from './drives.ts'
import {isTruthy, isUp, MODIFIED, placeOf, requireVm, startTask} from './vm.ts'
import type {Guest} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

interface Reassignment {
  source: Guest
  target: Guest
  disk: string
  targetDisk: string
  drive: Drive
}

export function reassignDisk(call: Call, targetVmid: number): string {
  const {cluster, vmid} = placeOf(call)
  if (call.principal.authid !== ROOT) requirePrivs(call, `/vms/${String(targetVmid)}`, ['VM.Config.Disk'])
  if (vmid === targetVmid) paramError({'target-vmid': 'must be different than source VMID to reassign disk'})
  const {disk, targetDisk, drive} = checkReassignment(call, targetVmid)
  requirePrivs(call, `/storage/${parseVolid(fileOf(drive)).storage}`, ['Datastore.AllocateSpace'])
  const id = `${String(vmid)}-${disk}>${String(targetVmid)}-${targetDisk}`
  const work = (task: TaskContext): void => {
    handOver(call, checkReassignment(call, targetVmid), task)
  }
  const {locks} = cluster
  return startTask(
    call,
    'qmmove',
    (task) =>
      locks.withLock('qemu', vmid, () =>
        locks.withLock('qemu', targetVmid, () => {
          work(task)
        }),
      ),
    id,
  )
}

function checkReassignment(call: Call, targetVmid: number): Reassignment {
  const {cluster, vmid} = placeOf(call)
  const disk = text(call, 'disk')
  const targetDisk = optionalText(call, 'target-disk') ?? disk
  const source = requireVm(placeOf(call))
  const place = cluster.guest(targetVmid) ?? die(`could not find target VM ${String(targetVmid)}`)
  if (source.node !== place.node)
    die(`Both VMs need to be on the same node (${source.node} != ${place.node})`)
  checkLock(source)
  const target = requireVm({cluster, node: place.node, vmid: targetVmid})
  checkLock(target)
  if (isTemplate(source) || isTemplate(target)) die("Can't move disks from or to template VMs")
  checkDigest(source, optionalText(call, 'digest'))
  checkDigest(target, optionalText(call, 'target-digest'))
  if (source.config[disk] === undefined) die(`Disk '${disk}' for VM '${String(vmid)}' does not exist`)
  if (isTruthy(target.config[targetDisk])) {
    die(`Target disk key '${targetDisk}' is already in use for VM '${String(targetVmid)}'`)
  }
  const drive = checkMovable(call, source, disk)
  return {source, target, disk, targetDisk, drive: asTargetDrive(drive, targetDisk, source.config[disk])}
}

function checkDigest(guest: Guest, digest: string | undefined): void {
  if (isTruthy(digest) && digest !== configDigest(guest)) die(`VM ${String(guest.vmid)}: ${MODIFIED}`)
}

function checkMovable(call: Call, source: Guest, disk: string): Drive {
  const drive = readDisk(source, disk)
  if (!drive) die('failed to parse source disk - ')
  if (isPlainCdrom(drive)) die("CD drive contents can't be moved to another VM")
  const volid = fileOf(drive)
  if (!tryParseVolid(volid)) die(`Volume '${volid}' not managed by PVE`)
  if (isVolumeInUse(source, volid, disk)) die("Can't move disk used by a snapshot to another VM")
  if (!volumeHasFeature(call.cluster, 'rename', volid)) {
    die('Storage does not support moving of this disk to another VM')
  }
  if (isUp(source) && !isUnusedName(disk)) {
    die('Cannot move disk to another VM while the source VM is running - detach first')
  }
  return drive
}

/** Options that the target's bus does not know make the move impossible. */
function asTargetDrive(drive: Drive, targetDisk: string, stored: string): Drive {
  if (isUnusedName(targetDisk)) return {file: fileOf(drive)}
  return parseDrive(targetDisk, stored) ?? die('failed to parse source disk for target disk format - ')
}

function handOver(call: Call, move: Reassignment, task: TaskContext): void {
  const {source, target, disk, targetDisk, drive} = move
  const [from, to] = [String(source.vmid), String(target.vmid)]
  task.log(`reassign disk '${disk}' from VM '${from}' as '${targetDisk}' to VM '${to}'`)
  const volume = reassignVolume(call.cluster, fileOf(drive), source.node, target.vmid)
  const order = bootDevices(source.config['boot'])
  if (order.includes(disk)) {
    task.log(`removing disk '${disk}' from boot order config`)
    source.config['boot'] = printBootOrder(order.filter((device) => device !== disk))
  }
  task.log(`removing disk '${disk}' from VM '${from}' config`)
  Reflect.deleteProperty(source.config, disk)
  const text = printDisk(targetDisk, {...drive, file: volume.volid})
  if (isUnusedName(targetDisk)) target.config[targetDisk] = text
  else attach(call, target, {[targetDisk]: text}, task)
}

/** To the target the disk is a change of its config like any other: a running machine takes it over if it can. */
function attach(call: Call, {node, vmid}: Guest, setting: Params, task: TaskContext): void {
  const digest = optionalText(call, 'target-digest')
  const params = {node, vmid: String(vmid), ...setting, ...(digest !== undefined && {digest})}
  updateUnderLock(call, params, (line) => {
    task.log(line)
  })
}
