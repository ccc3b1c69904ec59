// GET migrate: where the machine could go, and what would have to move with it.
import {checkLock} from '../../guest/snapshots.ts'
import {isHaManaged, requireQuorum} from '../../guest/status.ts'
import {isDisabled, isOnNode, requireStorage, tryParseVolid} from '../../storage/volumes.ts'
import {drivesOf, fileOf, isCdrom, isCloudinit, isDriveName, isTrue, type Drive} from '../config/drive.ts'
import {drivesWithUnused, isUnusedName, type NamedDrive} from './drives.ts'
import {localResources} from './local-resources.ts'
import {isUp, placeOf, requireVm} from './vm.ts'
import type {Call} from '../../call.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'

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
    // Proxmox lists a node that nothing speaks against here too, with nothing against it.
    notAllowed[name] = missing.length > 0 ? {unavailable_storages: missing} : {}
    if (missing.length === 0) allowed.push(name)
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

type DiskRow = Record<string, unknown>

/** Every volume that a section of the config names, each once, with what the sections say of it together. */
function localDisks(cluster: Cluster, guest: Guest): DiskRow[] {
  const rows = new Map<string, DiskRow>()
  const add = (section: Section, place: DiskRow): void => {
    for (const named of volumesNamedIn(section)) {
      const volid = fileOf(named.drive)
      if (!isLocal(cluster, named.drive)) continue
      rows.set(volid, mergeRows(rows.get(volid), {volid, ...diskRow(named), ...place}))
    }
  }
  add(guest.config, {})
  add(guest.pending, {is_attached: 0, referenced_in_pending: 1})
  for (const [name, {config, vmstate}] of Object.entries(guest.snapshots)) {
    const section = vmstate === undefined ? config : {...config, vmstate}
    add(section, {is_attached: 0, referenced_in_snapshot: {[name]: 1}})
  }
  return [...rows.values()]
}

function volumesNamedIn(section: Section): NamedDrive[] {
  const {vmstate} = section
  const state = vmstate === undefined ? [] : [{option: 'vmstate', drive: {file: vmstate}}]
  return [...drivesWithUnused(section), ...state]
}

function isLocal(cluster: Cluster, drive: Drive): boolean {
  const volid = fileOf(drive)
  const id = tryParseVolid(volid)
  if (volid === 'none' || drive['shared'] === '1') return false
  return !id || !requireStorage(cluster, id.storage).shared
}

function diskRow({option, drive}: NamedDrive): DiskRow {
  const isUnused = isUnusedName(option)
  const flag = (is: boolean): number => (is ? 1 : 0)
  return {
    cdrom: flag(isCdrom(drive)),
    is_cloudinit: flag(isCloudinit(drive)),
    is_attached: flag(!isUnused),
    is_unused: flag(isUnused),
    is_vmstate: flag(option === 'vmstate'),
    is_tpmstate: flag(option === 'tpmstate0'),
    replicate: flag(drive['replicate'] !== '0'),
    shared: 0,
    ...(isDriveName(option) && {drivename: option}),
    ...(isTrue(drive['size']) && {size: Number(drive['size'])}),
  }
}

/** A flag stays once it is set, but for `cdrom`, which holds only where all agree; the first size counts. */
function mergeRows(known: DiskRow | undefined, row: DiskRow): DiskRow {
  if (!known) return row
  const merged: DiskRow = {...row, ...known}
  for (const [key, value] of Object.entries(row)) {
    if (key === 'drivename') merged[key] = value
    else if (key === 'cdrom') merged[key] = Math.min(Number(value), Number(known[key]))
    else if (key === 'referenced_in_snapshot')
      merged[key] = {...(known[key] as DiskRow), ...(value as DiskRow)}
    else if (typeof value === 'number' && key !== 'size') {
      merged[key] = Math.max(value, Number(known[key] ?? 0))
    }
  }
  return merged
}
