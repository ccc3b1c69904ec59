// DELETE of a container: its volumes, its access, and last its config file, so that the id is not reused early.
import {flag, nodeOf, vmidOf, type Call} from '../../call.ts'
import {die} from '../../pve-error.ts'
import {leaveBackupJobs} from '../../backup/included-guests.ts'
import {removeGuest, removeGuestAccess} from '../../guest/registry.ts'
import {checkLock} from '../../guest/snapshots.ts'
import {haResource, isRunning, serviceId} from '../../guest/status.ts'
import {
  freeVolume,
  hasContent,
  parseVolid,
  parseVolname,
  requireStorage,
  volumesOfGuest,
} from '../../storage/volumes.ts'
import {volumesIn} from './container-volumes.ts'
import {forkTask, isContainerRunning, withGuest} from './power.ts'
import {stopContainer} from './run-container.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

const FREE_VOLUMES_MS = 150

export function destroy(call: Call): string {
  const vmid = vmidOf(call)
  checkDestroyable(call, call.cluster.requireGuest('lxc', nodeOf(call), vmid))
  if (!flag(call, 'force') && isContainerRunning(call)) dieRunning(vmid)
  return forkTask(call, 'vzdestroy', (task) =>
    withGuest(call, (guest) => destroyUnderLock(call, guest, task)),
  )
}

function checkDestroyable(call: Call, guest: Guest): void {
  checkProtection(guest, `can't remove CT ${String(guest.vmid)}`)
  checkLock(guest)
  if (flag(call, 'purge') || !haResource(call.cluster, 'lxc', guest.vmid)) return
  die(`unable to remove CT ${String(guest.vmid)} - used in HA resources and purge parameter not set.`)
}

/** Dies with `what` in front if the container is protected. */
export function checkProtection(guest: Guest, what: string): void {
  if (guest.config['protection'] === '1') die(`${what} - protection mode enabled`)
}

function dieRunning(vmid: number): never {
  die(`unable to destroy CT ${String(vmid)} - container is running`)
}

async function destroyUnderLock(call: Call, guest: Guest, task: TaskContext): Promise<void> {
  const {cluster} = call
  checkDestroyable(call, guest)
  if (isRunning(guest)) {
    if (!flag(call, 'force')) dieRunning(guest.vmid)
    task.log(`forced to stop CT ${String(guest.vmid)} before destroying!`)
    await stopContainer(cluster, guest, task, {kill: true})
  }
  await task.sleep(FREE_VOLUMES_MS)
  freeContainerVolumes(cluster, guest, task)
  if (flag(call, 'destroy-unreferenced-disks')) freeUnreferenced(cluster, guest, task)
  guest.config = {lock: 'destroyed'}
  removeGuestAccess(cluster, guest.vmid)
  if (flag(call, 'purge')) purge(cluster, guest, task)
  removeGuest(cluster, guest.vmid)
}

/** Frees what the current and the pending section name, unused volumes too, but nobody else's. */
export function freeContainerVolumes(cluster: Cluster, guest: Guest, task: TaskContext): void {
  const named = [...volumesIn(guest.config, true), ...volumesIn(guest.pending, true)]
  for (const volid of new Set(named.map((v) => v.volid))) {
    const {storage, volname} = parseVolid(volid)
    if (parseVolname(requireStorage(cluster, storage), volname).vmid === guest.vmid) {
      freeVolume(cluster, volid, guest.node)
    } else {
      task.log(`ignore deletion of '${volid}', CT ${String(guest.vmid)} isn't the owner!`)
    }
  }
}

/** Whatever carries the container's id on a storage for containers. */
function freeUnreferenced(cluster: Cluster, guest: Guest, task: TaskContext): void {
  for (const {volid} of volumesOfGuest(cluster, guest.vmid, guest.node)) {
    if (!hasContent(requireStorage(cluster, parseVolid(volid).storage), 'rootdir')) continue
    try {
      freeVolume(cluster, volid, guest.node)
    } catch (error) {
      task.log(error instanceof Error ? error.message.trimEnd() : String(error))
    }
  }
}

function purge(cluster: Cluster, guest: Guest, task: TaskContext): void {
  task.log(`purging CT ${String(guest.vmid)} from related configurations..`)
  leaveBackupJobs(cluster, guest.vmid)
  if (!haResource(cluster, 'lxc', guest.vmid)) return
  const sid = serviceId('lxc', guest.vmid)
  cluster.state.ha = cluster.state.ha.filter((r) => r.sid !== sid)
  task.log(`NOTE: removed CT ${String(guest.vmid)} from HA resource configuration.`)
}
