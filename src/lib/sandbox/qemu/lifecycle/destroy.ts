// DELETE a machine: what forbids it, which volumes go with it, and where else its id is forgotten.
import {flag, type Call} from '../../call.ts'
import {removeGuest, removeGuestAccess} from '../../guest/registry.ts'
import {checkLock, isTemplate} from '../../guest/snapshots.ts'
import {haResource} from '../../guest/status.ts'
import {die, PveError} from '../../pve-error.ts'
import {leaveBackupJobs} from '../../backup/included-guests.ts'
import {freeVolume, volumesOfGuest} from '../../storage/volumes.ts'
import {isPlainCdrom} from '../config/drive.ts'
import {drivesWithUnused, volidOf} from './drives.ts'
import {isUsedBase, ownerOf} from './volume-rules.ts'
import {isSet, isUp, placeOf, refuseUnlessRoot, requireVm, startTask, withVm, type VmPlace} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

interface DestroyOptions {
  skiplock: boolean
  purge: boolean
  unreferenced: boolean
}

const FREE_VOLUMES_MS = 150

export function destroy(call: Call): string {
  refuseUnlessRoot(call, 'skiplock')
  const place = placeOf(call)
  const options: DestroyOptions = {
    skiplock: flag(call, 'skiplock'),
    purge: flag(call, 'purge'),
    unreferenced: flag(call, 'destroy-unreferenced-disks'),
  }
  checkDestroyable(place.cluster, requireVm(place), options.purge)
  return startTask(call, 'qmdestroy', (task) => destroyVm(place, task, options))
}

function checkDestroyable(cluster: Cluster, guest: Guest, purge: boolean): void {
  const id = String(guest.vmid)
  if (isSet(guest.config, 'protection')) die(`can't remove VM ${id} - protection mode enabled`)
  if (!purge && haResource(cluster, 'qemu', guest.vmid)) {
    die(`unable to remove VM ${id} - used in HA resources and purge parameter not set.`)
  }
  if (isUp(guest)) die(`VM ${id} is running - destroy failed`)
}

function destroyVm(place: VmPlace, task: TaskContext, options: DestroyOptions): Promise<void> {
  const {cluster, vmid} = place
  return withVm(place, async (guest) => {
    checkDestroyable(cluster, guest, options.purge)
    if (!options.skiplock && guest.config['lock'] !== 'suspended') checkLock(guest)
    if (isTemplate(guest)) refuseUsedBases(cluster, guest)
    await task.sleep(FREE_VOLUMES_MS)
    freeOwnedVolumes(cluster, guest, task)
    if (options.unreferenced) {
      for (const {volid} of volumesOfGuest(cluster, vmid, guest.node)) free(cluster, guest, volid, task)
    }
    guest.config = {lock: 'destroyed'}
    removeGuestAccess(cluster, vmid)
    if (options.purge) purge(cluster, vmid, task)
    removeGuest(cluster, vmid)
  })
}

function refuseUsedBases(cluster: Cluster, guest: Guest): void {
  for (const drive of drivesWithUnused(guest.config)) {
    const volid = volidOf(drive)
    if (isUsedBase(cluster, volid)) die(`base volume '${volid}' is still in use by linked cloned`)
  }
}

function freeOwnedVolumes(cluster: Cluster, guest: Guest, task: TaskContext): void {
  const states = Object.values(guest.snapshots).map((snapshot) => snapshot.vmstate)
  const volids = new Set([
    ...volumesIn(guest.config),
    ...states.filter((volid) => volid !== undefined),
    ...volumesIn(guest.pending),
  ])
  for (const volid of volids) {
    if (ownerOf(cluster, volid) === guest.vmid) free(cluster, guest, volid, task)
  }
}

function volumesIn(section: Section): string[] {
  const drives = drivesWithUnused(section).filter(({drive}) => !isPlainCdrom(drive))
  const {vmstate} = section
  return [...drives.map(volidOf), ...(vmstate === undefined ? [] : [vmstate])]
}

/** A volume that cannot be removed does not keep the machine alive. */
function free(cluster: Cluster, guest: Guest, volid: string, task: TaskContext): void {
  try {
    freeVolume(cluster, volid, guest.node)
  } catch (error) {
    if (!(error instanceof PveError)) throw error
    task.warn(`Could not remove disk '${volid}', check manually: ${error.message.trimEnd()}`)
  }
}

function purge(cluster: Cluster, vmid: number, task: TaskContext): void {
  task.log(`purging VM ${String(vmid)} from related configurations..`)
  leaveBackupJobs(cluster, vmid)
  const resource = haResource(cluster, 'qemu', vmid)
  if (!resource) return
  cluster.state.ha = cluster.state.ha.filter((other) => other !== resource)
  task.log(`NOTE: removed VM ${String(vmid)} from HA resource configuration.`)
}
