// What a migration asks before anything moves: which volumes stay on shared storage, which are copied and where to,
// and what cannot be migrated at all.
import {die} from '../../pve-error.ts'
import {hasContent, parseVolid, parseVolname, requireStorage} from '../../storage/volumes.ts'
import {mountPointsOf, volumesIn} from './container-volumes.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

/** "no such cluster node 'ghost'". */
export function requireNodeExists(cluster: Cluster, node: string): void {
  if (!cluster.node(node)) die(`no such cluster node '${node}'`)
}

/** `target-storage`: pairs `from:to`, a default for all others, or `1` for each its own. */
export interface StorageMap {
  entries: Map<string, string>
  byDefault?: string
  isIdentity: boolean
}

export function parseStorageMap(text: string | undefined): StorageMap {
  const map: StorageMap = {entries: new Map(), isIdentity: text === undefined}
  for (const entry of (text ?? '').split(/[,;\s]+/).filter((e) => e !== '')) {
    const [from = '', to] = entry.split(':')
    if (entry === '1') map.isIdentity = true
    else if (to !== undefined) map.entries.set(from, to)
    else map.byDefault = from
  }
  return map
}

export function mapStorage(map: StorageMap, storage: string): string {
  return map.entries.get(storage) ?? map.byDefault ?? storage
}

/** Each mount point must be a volume on storages that both nodes have. */
export function checkMountPoints(cluster: Cluster, guest: Guest, target: string, map: StorageMap): void {
  for (const {option, type, volume, values} of mountPointsOf(guest.config, true)) {
    if (type !== 'volume') {
      if (values['shared'] === '1') continue
      die(`cannot migrate local ${type} mount point '${option}'`)
    }
    const {storage} = parseVolid(volume)
    const source = requireStorage(cluster, storage, guest.node)
    if (!hasContent(source, 'rootdir')) die(`content type 'rootdir' is not available on storage '${storage}'`)
    const wanted = source.shared ? storage : mapStorage(map, storage)
    if (!hasContent(requireStorage(cluster, wanted, target), 'rootdir')) {
      die(`${volume}: content type 'rootdir' is not available on storage '${wanted}'`)
    }
  }
}

export interface LocalVolume {
  volid: string
  targetStorage: string
}

const MIGRATABLE = new Set(['dir', 'zfspool', 'lvmthin', 'lvm', 'btrfs'])
const SNAPSHOTS_TRAVEL = new Set(['zfspool', 'btrfs'])

/** The volumes to copy; what speaks against one is logged, and any such reason ends the migration. */
export function localVolumes(
  cluster: Cluster,
  guest: Guest,
  map: StorageMap,
  task: TaskContext,
): LocalVolume[] {
  const inSnapshots = new Set(
    Object.values(guest.snapshots).flatMap((s) => volumesIn(s.config).map((v) => v.volid)),
  )
  const named = [...volumesIn(guest.config, true), ...volumesIn(guest.pending)].map((v) => v.volid)
  const local: LocalVolume[] = []
  let isBlocked = false
  for (const volid of new Set([...inSnapshots, ...named])) {
    const {storage} = parseVolid(volid)
    if (requireStorage(cluster, storage, guest.node).shared) {
      task.log(`volume '${volid}' is on shared storage '${storage}'`)
      continue
    }
    const reason = obstacle(cluster, guest, volid, inSnapshots.has(volid))
    if (reason !== undefined) {
      task.log(`can't migrate local volume '${volid}': ${reason}`)
      isBlocked = true
    }
    local.push({volid, targetStorage: mapStorage(map, storage)})
  }
  if (isBlocked) die("can't migrate CT - check log")
  return local
}

function obstacle(cluster: Cluster, guest: Guest, volid: string, isInSnapshot: boolean): string | undefined {
  const {storage: id, volname} = parseVolid(volid)
  const storage = requireStorage(cluster, id)
  const {vmid, base} = parseVolname(storage, volname)
  if (vmid !== guest.vmid) return `owned by other guest (owner = ${String(vmid)})`
  if (isInSnapshot && !SNAPSHOTS_TRAVEL.has(storage.type)) return 'non-migratable snapshot exists'
  if (!MIGRATABLE.has(storage.type)) return `storage type '${storage.type}' not supported`
  return base === undefined ? undefined : `clone of '${base}'`
}
