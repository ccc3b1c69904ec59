// GET migrate: where the machine could go, and what would have to move with it.
import {checkLock} from '../../guest/snapshots.ts'
import {isHaManaged, requireQuorum} from '../../guest/status.ts'
import {isDisabled, isOnNode, requireStorage, tryParseVolid} from '../../storage/volumes.ts'
import {drivesOf, fileOf, isCdrom} from '../config/drive.ts'
import {drivesWithUnused, isUnusedName} from './drives.ts'
import {localResources} from './local-resources.ts'
import {isUp, placeOf, requireVm} from './vm.ts'
import type {Call} from '../../call.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'

export function migratePrecondition(call: Call): Record<string, unknown> {
  const {cluster} = call
  requireQuorum(cluster)
  const guest = requireVm(placeOf(call))
  checkLock(guest)
  const {blocking, mapped} = localResources(guest.config)
  const allowed: string[] = []
  const notAllowed: Record<string, unknown> = {}
  for (const {name} of cluster.state.nodes) {
    if (name === guest.node) continue
    const missing = unavailableStorages(cluster, guest, name)
    if (missing.length > 0) notAllowed[name] = {unavailable_storages: missing}
    else allowed.push(name)
  }
  return {
    running: isUp(guest) ? 1 : 0,
    allowed_nodes: allowed,
    not_allowed_nodes: notAllowed,
    local_disks: localDisks(cluster, guest),
    local_resources: blocking,
    'mapped-resources': Object.keys(mapped).sort(),
    'mapped-resource-info': mapped,
    'has-dbus-vmstate': 1,
    ...(isHaManaged(cluster, 'qemu', guest.vmid) && {'dependent-ha-resources': []}),
  }
}

function unavailableStorages(cluster: Cluster, guest: Guest, node: string): string[] {
  const ids = drivesOf(guest.config).map(({drive}) => tryParseVolid(fileOf(drive))?.storage)
  const named = [...new Set(ids.filter((id) => id !== undefined))].sort()
  return named.filter((id) => {
    const storage = requireStorage(cluster, id)
    return isDisabled(storage) || !isOnNode(storage, node)
  })
}

function localDisks(cluster: Cluster, guest: Guest): Record<string, unknown>[] {
  return drivesWithUnused(guest.config).flatMap(({option, drive}) => {
    const volid = fileOf(drive)
    const id = tryParseVolid(volid)
    if (volid === 'none' || (id && requireStorage(cluster, id.storage).shared)) return []
    const isUnused = isUnusedName(option)
    return [
      {
        volid,
        cdrom: isCdrom(drive) ? 1 : 0,
        is_attached: isUnused ? 0 : 1,
        is_unused: isUnused ? 1 : 0,
        is_vmstate: 0,
        is_tpmstate: option === 'tpmstate0' ? 1 : 0,
        replicate: drive['replicate'] === '0' ? 0 : 1,
        shared: drive['shared'] === '1' ? 1 : 0,
        ...(!isUnused && {drivename: option}),
        ...(drive['size'] !== undefined && {size: Number(drive['size'])}),
      },
    ]
  })
}
