// The volumes of a machine that changes its node: which are local, what keeps them from moving, and their move.
import {checkContent, formatOn, isUsedBase, ownerOf} from './volume-rules.ts'
import {fileOf, isCloudinit, isPlainCdrom} from '../config/drive.ts'
import {
  copyVolume,
  findVolume,
  freeVolume,
  parseVolid,
  parseVolname,
  requireStorage,
} from '../../storage/volumes.ts'
import {die, PveError} from '../../pve-error.ts'
import {drivesWithUnused, isUnusedName} from './drives.ts'
import {mapStorage, type StorageMap} from './storage-map.ts'
import {isUp} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'

export interface LocalVolume {
  volid: string
  targetStorage: string
  reference: 'attached' | 'unused' | 'snapshot' | 'pending' | 'generated'
  sizeBytes: number
}

export interface VolumeScan {
  cluster: Cluster
  guest: Guest
  target: string
  map: StorageMap
  withLocalDisks: boolean
  log(line: string): void
}

/** Every local volume that has to move; dies, after telling each reason, where one cannot. */
export function scanVolumes(scan: VolumeScan): LocalVolume[] {
  const found = new Map<string, LocalVolume>()
  let isBlocked = false
  for (const use of usesOf(scan.guest)) {
    if (found.has(use.volid)) continue
    try {
      const local = inspect(scan, use)
      if (local) found.set(use.volid, local)
    } catch (error) {
      if (!(error instanceof PveError)) throw error
      isBlocked = true
      scan.log(`can't migrate local disk '${use.volid}': ${error.message.trimEnd()}`)
    }
  }
  for (const volume of found.values()) {
    scan.log(`found local disk '${volume.volid}' (${volume.reference})`)
    if (volume.reference !== 'attached' || !isUp(scan.guest) || scan.withLocalDisks) continue
    isBlocked = true
    scan.log(
      `can't migrate local disk '${volume.volid}':` +
        " can't live migrate attached local disks without with-local-disks option",
    )
  }
  if (isBlocked) die("Problem found while scanning volumes - can't migrate VM - check log")
  for (const {volid} of found.values()) refuseLinkedClone(scan.cluster, volid)
  return [...found.values()]
}

interface VolumeUse {
  volid: string
  reference: LocalVolume['reference']
  isCdrom: boolean
}

/** Attached before everything else: the strictest use of a volume counts. */
function usesOf(guest: Guest): VolumeUse[] {
  const uses = usesIn(guest.config, 'attached')
  for (const snapshot of Object.values(guest.snapshots)) {
    uses.push(...usesIn(snapshot.config, 'snapshot'))
    if (snapshot.vmstate !== undefined) uses.push(stateUse(snapshot.vmstate))
  }
  uses.push(...usesIn(guest.pending, 'pending'))
  if (guest.config['vmstate'] !== undefined) uses.push(stateUse(guest.config['vmstate']))
  return uses
}

const stateUse = (volid: string): VolumeUse => ({volid, reference: 'generated', isCdrom: false})

function usesIn(section: Section, reference: VolumeUse['reference']): VolumeUse[] {
  return drivesWithUnused(section).map(({option, drive}) => ({
    volid: fileOf(drive),
    reference: isUnusedName(option) ? 'unused' : isCloudinit(drive) ? 'generated' : reference,
    isCdrom: isPlainCdrom(drive),
  }))
}

function inspect(scan: VolumeScan, {volid, reference, isCdrom}: VolumeUse): LocalVolume | undefined {
  const {cluster, guest, target, map} = scan
  if (volid === 'none') return undefined
  if (volid === 'cdrom') die("can't migrate local cdrom drive")
  if (volid.startsWith('/')) die('local file/device')
  const storage = requireStorage(cluster, parseVolid(volid).storage, guest.node)
  const targetStorage = storage.shared ? storage.storage : mapStorage(map, storage.storage)
  checkContent(requireStorage(cluster, targetStorage, target), volid, storage)
  if (storage.shared) return undefined
  if (isCdrom) die('local cdrom image')
  const volume =
    findVolume(cluster, volid, guest.node) ?? die(`unable to determine size for volume '${volid}'`)
  const owner = ownerOf(cluster, volid)
  if (owner !== guest.vmid) die(`owned by other VM (owner = VM ${String(owner ?? '')})`)
  refuseSnapshots(guest, volid, isUp(guest), storage.type, volume.format)
  if (isUsedBase(cluster, volid)) die('referenced by linked clone(s)')
  return {volid, targetStorage, reference, sizeBytes: volume.size}
}

/** Snapshots move with qcow2 files and ZFS only, and never while the machine runs. */
function refuseSnapshots(guest: Guest, volid: string, isOnline: boolean, type: string, format: string): void {
  const isSnapshotted = Object.values(guest.snapshots).some((snapshot) =>
    drivesWithUnused(snapshot.config).some(({drive}) => fileOf(drive) === volid),
  )
  if (!isSnapshotted) return
  if (isOnline) die('online storage migration not possible if non-replicated snapshot exists')
  const canMove = type === 'zfspool' || format === 'qcow2' || (type === 'btrfs' && format === 'raw')
  if (!canMove) die('non-migratable snapshot exists')
}

function refuseLinkedClone(cluster: Cluster, volid: string): void {
  const {storage, volname} = parseVolid(volid)
  const {base} = parseVolname(requireStorage(cluster, storage), volname)
  if (base !== undefined)
    die(`Problem found while scanning volumes - can't migrate '${volid}' as it's a clone of '${base}'`)
}

/** Puts the volume on the target node and returns its name there. */
export function moveVolume(cluster: Cluster, guest: Guest, volume: LocalVolume, target: string): string {
  const {volid, targetStorage} = volume
  const isSameName = parseVolid(volid).storage === targetStorage && !findVolume(cluster, volid, target)
  const live = findVolume(cluster, volid, guest.node)
  if (!live) die(`storage migration for '${volid}' to storage '${targetStorage}' failed - volume is gone`)
  if (isSameName) {
    live.node = target
    return volid
  }
  const format = formatOn(requireStorage(cluster, targetStorage), live.format)
  const place = {storage: targetStorage, node: target, vmid: guest.vmid, format}
  const copy = copyVolume(cluster, volid, guest.node, place)
  freeVolume(cluster, volid, guest.node)
  return copy.volid
}
