// POST move_volume: to another storage (a copy under the lock `disk`), or to another container.
import {flag, nodeOf, optionalText, text, vmidOf, type Call} from '../../call.ts'
import {PveError, die, paramError} from '../../pve-error.ts'
import {requirePrivs} from '../../access/permissions.ts'
import {addUnusedVolume, checkLock, isTemplate} from '../../guest/snapshots.ts'
import {isRunning} from '../../guest/status.ts'
import {
  copyVolume,
  freeVolume,
  hasContent,
  makeBaseVolume,
  requireStorage,
  volumeHasFeature,
} from '../../storage/volumes.ts'
import {reassignVolume, parseVolid} from '../../storage/volumes.ts'
import {exchangeVolume, requireMountPoint, volumesIn} from './container-volumes.ts'
import {forkTask, isContainerRunning, withGuest} from './power.ts'
import {checkDigest} from './resize.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Volume} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

const COPY_VOLUME_MS = 400
const UNUSED = /^unused\d+$/

export async function moveVolume(call: Call): Promise<string> {
  const storage = optionalText(call, 'storage')
  const targetVmid = optionalText(call, 'target-vmid')
  if (storage && targetVmid) die('either set storage or target-vmid, but not both')
  if (targetVmid) return reassign(call, Number(targetVmid))
  if (storage) return moveToStorage(call, storage)
  const missing = "both 'storage' and 'target-vmid' missing, either needs to be set"
  paramError({'target-vmid': missing, storage: missing})
}

async function moveToStorage(call: Call, storage: string): Promise<string> {
  requirePrivs(call, `/storage/${storage}`, ['Datastore.AllocateSpace'])
  await withGuest(call, (guest) => {
    checkMove(call, guest)
    guest.config['lock'] = 'disk'
  })
  return forkTask(call, 'move_volume', async (task) => {
    const guest = call.cluster.requireGuest('lxc', nodeOf(call), vmidOf(call))
    try {
      await copyToStorage(call, guest, storage, task)
    } finally {
      if (guest.config['lock'] === 'disk') delete guest.config['lock']
    }
  })
}

function checkMove(call: Call, guest: Guest): void {
  const option = text(call, 'volume')
  checkLock(guest)
  if (isContainerRunning(call)) die('cannot move volumes of a running container')
  if (UNUSED.test(option)) {
    die(`cannot move volume '${option}', only configured volumes can be moved to another storage`)
  }
  const {volume} = requireMountPoint(guest.config, option)
  if (flag(call, 'delete') && isInSnapshot(guest, volume)) {
    die("you can't move a volume with snapshots and delete the source")
  }
  checkDigest(guest, optionalText(call, 'digest'))
}

async function copyToStorage(call: Call, guest: Guest, storage: string, task: TaskContext): Promise<void> {
  const {cluster} = call
  const option = text(call, 'volume')
  const {volume: oldVolid, type} = requireMountPoint(guest.config, option)
  if (type !== 'volume') die(`cannot copy volumes of type ${type}`)
  const copy = copyContainerVolume(cluster, oldVolid, guest, {storage, vmid: guest.vmid})
  try {
    await task.sleep(COPY_VOLUME_MS)
  } catch (error) {
    freeVolume(cluster, copy.volid, guest.node)
    throw error
  }
  const kept = isTemplate(guest) ? makeBaseVolume(cluster, copy.volid, guest.node) : copy
  await withGuest(call, (live) => {
    live.config[option] = exchangeVolume(live.config, option, kept.volid, kept.size)
    if (!flag(call, 'delete')) addUnusedVolume(live.config, oldVolid)
  })
  if (flag(call, 'delete')) freeVolume(cluster, oldVolid, guest.node)
}

/** A copy for a container, on the storage that was asked for if that holds containers. */
export function copyContainerVolume(
  cluster: Cluster,
  volid: string,
  {node}: Guest,
  target: {storage: string; vmid: number},
): Volume {
  if (!hasContent(requireStorage(cluster, target.storage, node), 'rootdir')) {
    die(`content type 'rootdir' is not available or configured on storage '${target.storage}'`)
  }
  return copyVolume(cluster, volid, node, {...target, node})
}

function isInSnapshot(guest: Guest, volid: string): boolean {
  return Object.values(guest.snapshots).some((s) => volumesIn(s.config).some((v) => v.volid === volid))
}

function reassign(call: Call, targetVmid: number): string {
  requirePrivs(call, `/vms/${String(targetVmid)}`, ['VM.Config.Disk'])
  const {volid} = checkReassign(call, targetVmid)
  requirePrivs(call, `/storage/${parseVolid(volid).storage}`, ['Datastore.AllocateSpace'])
  const option = text(call, 'volume')
  const targetOption = optionalText(call, 'target-volume') ?? option
  const id = `${String(vmidOf(call))}-${option}>${String(targetVmid)}-${targetOption}`
  const work = (task: TaskContext): Promise<void> => reassignUnderLocks(call, targetVmid, targetOption, task)
  return forkTask(call, 'move_volume', work, id)
}

function reassignUnderLocks(
  call: Call,
  targetVmid: number,
  targetOption: string,
  task: TaskContext,
): Promise<void> {
  const {cluster} = call
  const option = text(call, 'volume')
  const change = (): void => {
    const {source, target, volid} = checkReassign(call, targetVmid)
    task.log(`moving volume '${option}' from container '${String(source.vmid)}' to '${String(targetVmid)}'`)
    const moved = reassignVolume(cluster, volid, source.node, targetVmid)
    const value = UNUSED.test(targetOption) ? moved.volid : exchangeVolume(source.config, option, moved.volid)
    Reflect.deleteProperty(source.config, option)
    target.config[targetOption] = value
    task.log(`target container '${String(targetVmid)}' updated with '${targetOption}'`)
  }
  if (targetVmid === vmidOf(call)) return withGuest(call, change)
  return withGuest(call, () => cluster.locks.withLock('lxc', targetVmid, change))
}

interface Reassignment {
  source: Guest
  target: Guest
  volid: string
}

function checkReassign(call: Call, targetVmid: number): Reassignment {
  const option = text(call, 'volume')
  const targetOption = optionalText(call, 'target-volume') ?? option
  if (option === 'rootfs' || targetOption === 'rootfs') die("Cannot move to/from 'rootfs'")
  if (UNUSED.test(option) && !UNUSED.test(targetOption))
    die('Moving an unused volume to a used one is not possible')
  const {source, target} = reassignGuests(call, targetVmid)
  if (isTemplate(source) || isTemplate(target)) die("Can't move volumes from or to template CT")
  checkDigestOf(source, optionalText(call, 'digest'))
  checkDigestOf(target, optionalText(call, 'target-digest'))
  const id = String(source.vmid)
  if (source.config[option] === undefined) die(`volume '${option}' for container '${id}' does not exist`)
  if (target.config[targetOption] !== undefined) {
    die(`Target volume key '${targetOption}' is already in use for container '${String(targetVmid)}'`)
  }
  return {source, target, volid: movableVolume(call.cluster, source, option)}
}

function reassignGuests(call: Call, targetVmid: number): {source: Guest; target: Guest} {
  const {cluster} = call
  const [sourceNode, targetNode] = [vmidOf(call), targetVmid].map(
    (vmid) => cluster.guest(vmid)?.node ?? die(`could not find CT ${String(vmid)}`),
  )
  if (sourceNode !== targetNode) {
    die(`Both containers need to be on the same node (${String(sourceNode)} != ${String(targetNode)})`)
  }
  const source = cluster.requireGuest('lxc', nodeOf(call), vmidOf(call))
  checkLock(source)
  const target = cluster.requireGuest('lxc', nodeOf(call), targetVmid)
  checkLock(target)
  return {source, target}
}

function checkDigestOf(guest: Guest, digest: string | undefined): void {
  try {
    checkDigest(guest, digest)
  } catch (error) {
    if (error instanceof PveError) die(`Container ${String(guest.vmid)}: ${error.message}`)
    throw error
  }
}

function movableVolume(cluster: Cluster, source: Guest, option: string): string {
  const {volume, type} = requireMountPoint(source.config, option)
  if (isInSnapshot(source, volume)) die('Cannot move volume used by a snapshot to another container')
  if (type === 'volume' && !volumeHasFeature(cluster, 'rename', volume)) {
    die('Storage does not support moving of this disk to another container')
  }
  if (type !== 'volume') die('Cannot move a bindmount or device mount to another container')
  if (isRunning(source) && !UNUSED.test(option)) {
    die('Cannot move in-use volume while the source CT is running - detach or shutdown first')
  }
  return volume
}
