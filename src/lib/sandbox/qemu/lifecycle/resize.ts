// PUT resize: a task that grows one disk, offline or live; nothing is checked before it runs.
import {requirePrivs} from '../../access/permissions.ts'
import {flag, optionalText, text, type Call} from '../../call.ts'
import {configDigest} from '../../guest/config-file.ts'
import {checkLock} from '../../guest/snapshots.ts'
import {die} from '../../pve-error.ts'
import {
  parseVolid,
  parseVolname,
  requireStorage,
  requireVolume,
  resizeVolume,
  storageType,
} from '../../storage/volumes.ts'
import {fileOf, isCdrom, isTrue, parseDrive, printDrive, type Drive} from '../config/drive.ts'
import {placeOf, isUp, refuseUnlessRoot, startTask, withVm} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

const UNITS: Record<string, number> = {K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4}
const RESIZE_MS = 200

export function resize(call: Call): string {
  refuseUnlessRoot(call, 'skiplock')
  const place = placeOf(call)
  return startTask(call, 'resize', (task) => withVm(place, (guest) => resizeDisk(call, guest, task)))
}

async function resizeDisk(call: Call, guest: Guest, task: TaskContext): Promise<void> {
  const {cluster} = call
  const disk = text(call, 'disk')
  const drive = checkedDrive(call, guest, disk)
  const volid = fileOf(drive)
  requirePrivs(call, `/storage/${parseVolid(volid).storage}`, ['Datastore.AllocateSpace'])
  const {size} = requireVolume(cluster, volid, guest.node)
  const wanted = newSize(text(call, 'size'), size)
  if (wanted < size) die('shrinking disks is not supported')
  if (wanted === size) return
  checkResizable(cluster, volid)
  await task.sleep(RESIZE_MS)
  if (!isUp(guest)) task.log('Image resized.')
  // The hypervisor grows the disk of a running machine; where there is none, the image stays as it is.
  const isUntouched = isUp(guest) && cluster.state.knobs.isHypervisorFaked === true
  if (!isUntouched) resizeVolume(cluster, volid, guest.node, wanted)
  guest.config[disk] = printDrive(disk, {...drive, size: String(wanted)})
}

function checkResizable(cluster: Cluster, volid: string): void {
  const {storage: id, volname} = parseVolid(volid)
  const storage = requireStorage(cluster, id)
  const {format} = parseVolname(storage, volname)
  if (storageType(storage).naming === 'file' && format !== 'raw' && format !== 'qcow2') {
    die("can't resize this image format")
  }
}

function checkedDrive(call: Call, guest: Guest, disk: string): Drive {
  const digest = optionalText(call, 'digest')
  if (isTrue(digest) && digest !== configDigest(guest)) die('checksum mismatch (file change by other user?)')
  if (!flag(call, 'skiplock')) checkLock(guest)
  const stored = guest.config[disk]
  if (!stored) die(`disk '${disk}' does not exist`)
  const drive = parseDrive(disk, stored)
  if (!drive) die(`disk '${disk}' has no associated volume`)
  const {storage, volname} = parseVolid(fileOf(drive))
  parseVolname(requireStorage(call.cluster, storage), volname)
  if (isCdrom(drive)) die("you can't resize a cdrom")
  return drive
}

/** `+64M` adds, `2G` is meant as it stands. */
function newSize(wanted: string, currentBytes: number): number {
  const match = /^(\+)?(\d+(?:\.\d+)?)([KMGT])?$/.exec(wanted)
  const bytes = Number(match?.[2]) * (UNITS[match?.[3] ?? ''] ?? 1)
  return Math.trunc(match?.[1] === '+' ? currentBytes + bytes : bytes)
}
