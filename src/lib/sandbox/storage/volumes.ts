// Everything that happens to volumes: found, listed, allocated, freed, resized, copied, renamed. It touches the
// cluster's storages only. Every change of a volume passes here, so that lookups stay quick and names unique.
import {die} from '../pve-error.ts'
import {containerFormat, storageType, type StorageType} from './storage-types.ts'
import {findStorage, hasContent, isDisabled, isOnNode, requireStorage} from './storages.ts'
import {volumePath} from './volume-features.ts'
import {baseName, diskName, guestVolid, parseVolid, parseVolname, tryParseVolid} from './volume-names.ts'
import {volumeIndex} from './volume-index.ts'
import type {Cluster} from '../cluster.ts'
import type {Storage, Volume} from '../state.ts'

export {containerFormat, storageType, type Feature} from './storage-types.ts'
export {findStorage, hasContent, isDisabled, isOnNode, requireStorage} from './storages.ts'
export {volumeHasFeature, volumePath} from './volume-features.ts'
export {parseVolid, parseVolname, tryParseVolid, type VolumeId, type VolumeName} from './volume-names.ts'

/** The volume as seen from that node; without a node, wherever it is. Undefined for anything that is no volume. */
export function findVolume(cluster: Cluster, volid: string, node?: string): Volume | undefined {
  const id = tryParseVolid(volid)
  const storage = id && findStorage(cluster, id.storage)
  if (!storage) return undefined
  return volumeIndex(storage)
    .byVolid(volid)
    .find((v) => node === undefined || v.node === undefined || v.node === node)
}

export function requireVolume(cluster: Cluster, volid: string, node: string): Volume {
  const {storage} = parseVolid(volid)
  requireStorage(cluster, storage, node)
  return findVolume(cluster, volid, node) ?? die(`volume '${volid}' does not exist`)
}

export interface VolumeFilter {
  vmid?: number
  /** images, rootdir, iso, …; absent: everything the storage is configured for. */
  content?: string
}

/** The volumes of a storage as that node sees them. */
export function listVolumes(storage: Storage, node: string, filter: VolumeFilter = {}): Volume[] {
  const {vmid, content} = filter
  const candidates = vmid === undefined ? storage.volumes : volumeIndex(storage).byVmid(vmid)
  return candidates.filter((v) => {
    if (v.node !== undefined && v.node !== node) return false
    return content === undefined ? hasContent(storage, v.content) : v.content === content
  })
}

/** Every volume that belongs to the guest, on all storages that the node reaches, backups apart. */
export function volumesOfGuest(cluster: Cluster, vmid: number, node: string): Volume[] {
  return cluster.state.storages
    .filter((s) => !isDisabled(s) && isOnNode(s, node))
    .flatMap((s) => volumeIndex(s).byVmid(vmid))
    .filter((v) => v.content !== 'backup' && (v.node === undefined || v.node === node))
}

export interface Allocation {
  storage: string
  node: string
  vmid: number
  sizeBytes: number
  content: 'images' | 'rootdir'
  /** Absent: the storage's default for images, its container format for rootdir. */
  format?: string
  /** Instead of `disk-<n>`: the tail of the name, for example `cloudinit` or `state-snap1`. */
  tail?: string
}

/** Makes a new volume under the next free disk number. */
export function allocateVolume(cluster: Cluster, wanted: Allocation): Volume {
  const storage = requireStorage(cluster, wanted.storage, wanted.node)
  const type = storageType(storage)
  const format =
    wanted.format ??
    (wanted.content === 'rootdir' ? containerFormat(storage, wanted.sizeBytes) : type.defaultFormat)
  const tail = wanted.tail ?? `disk-${String(nextDiskNumber(storage, wanted.node, wanted.vmid))}`
  const name = diskName(storage, wanted.vmid, format, tail)
  checkFormat(type, format, name)
  return addVolume(cluster, storage, wanted.node, {
    volid: guestVolid(storage, wanted.vmid, name),
    vmid: wanted.vmid,
    format,
    content: wanted.content,
    size: Math.ceil(wanted.sizeBytes / type.extentBytes) * type.extentBytes,
  })
}

/** Where volumes are files, any image format goes, also one that the storage does not offer. */
function checkFormat(type: StorageType, format: string, name: string): void {
  if (type.naming !== 'file') {
    if (!type.formats.includes(format)) die(`unsupported format '${format}'`)
  } else if (!/\.(?:raw|qcow2|vmdk|subvol)$/.test(name)) die(`unable to parse volume filename '${name}'`)
}

/** What a new sparse image takes on its disk. */
const SPARSE_BYTES = 331_776

/** Puts a volume whose name is already known on the storage: a backup archive, an upload, a clone. */
export function addVolume(cluster: Cluster, storage: Storage, node: string, volume: Volume): Volume {
  const {volid} = volume
  if (findVolume(cluster, volid, node)) die(`disk image '${volumePath(cluster, volid)}' already exists`)
  const isImage = volume.content === 'images' || volume.content === 'rootdir'
  const full: Volume = {
    ctime: cluster.nowSeconds(),
    ...(storageType(storage).naming === 'file' &&
      isImage && {parent: null, used: Math.min(volume.size, SPARSE_BYTES)}),
    ...volume,
    ...(!storage.shared && {node}),
  }
  volumeIndex(storage).add(full)
  return full
}

/** The smallest n for which no `…-<vmid>-disk-<n>` exists there, whatever its prefix and format. */
export function nextDiskNumber(storage: Storage, node: string, vmid: number): number {
  const taken = new Set<number>()
  const pattern = new RegExp(
    `(?:^|[:/])(?:vm|base|subvol|basevol)-${String(vmid)}-disk-(\\d+)(?:\\.[a-z0-9]+)?$`,
  )
  for (const v of volumeIndex(storage).byVmid(vmid)) {
    const n = v.node === undefined || v.node === node ? pattern.exec(v.volid)?.[1] : undefined
    if (n !== undefined) taken.add(Number(n))
  }
  let n = 0
  while (taken.has(n)) n++
  return n
}

/** Removes the volume; a base volume with linked clones stays. Freeing what is not there does nothing. */
export function freeVolume(cluster: Cluster, volid: string, node: string): void {
  const {storage: id, volname} = parseVolid(volid)
  const storage = requireStorage(cluster, id, node)
  if (isBaseInUse(storage, volname)) die(`base volume '${volname}' is still in use by linked clones`)
  const volume = findVolume(cluster, volid, node)
  if (volume) volumeIndex(storage).remove(volume)
}

function isBaseInUse(storage: Storage, volname: string): boolean {
  if (!storageType(storage).clonesNameTheirBase || !parseVolname(storage, volname).isBase) return false
  const start = `${storage.storage}:${volname}/`
  return storage.volumes.some((v) => v.volid.startsWith(start))
}

export function resizeVolume(cluster: Cluster, volid: string, node: string, sizeBytes: number): Volume {
  const volume = requireVolume(cluster, volid, node)
  const {extentBytes} = storageType(requireStorage(cluster, parseVolid(volid).storage))
  volume.size = Math.ceil(sizeBytes / extentBytes) * extentBytes
  return volume
}

export interface CopyTarget {
  storage: string
  /** The node the copy is for; differs from the source's only in a migration. */
  node: string
  vmid: number
  format?: string
}

/** A full copy under the target guest's next free disk number. */
export function copyVolume(cluster: Cluster, volid: string, node: string, target: CopyTarget): Volume {
  const source = requireVolume(cluster, volid, node)
  const content = source.content === 'rootdir' ? 'rootdir' : 'images'
  const copy = allocateVolume(cluster, {
    storage: target.storage,
    node: target.node,
    vmid: target.vmid,
    sizeBytes: source.size,
    content,
    ...(target.format !== undefined && {format: target.format}),
  })
  if (source.used !== undefined) copy.used = source.used
  return copy
}

/** A clone that shares its base's data; on some storages its volid names the base. */
export function cloneVolume(cluster: Cluster, volid: string, node: string, vmid: number): Volume {
  const source = requireVolume(cluster, volid, node)
  const {storage: id, volname} = parseVolid(volid)
  const storage = requireStorage(cluster, id, node)
  const type = storageType(storage)
  const format = cloneFormat(storage, source)
  const tail = `disk-${String(nextDiskNumber(storage, node, vmid))}`
  const own = guestVolid(storage, vmid, diskName(storage, vmid, format, tail))
  return addVolume(cluster, storage, node, {
    volid: type.clonesNameTheirBase ? `${id}:${volname}/${own.slice(id.length + 1)}` : own,
    vmid,
    format,
    content: source.content,
    size: source.size,
    ...(type.clonesNameTheirBase && {parent: parentOf(storage, volname)}),
  })
}

/** A folder's linked clones are qcow2 whatever the base is. */
function cloneFormat(storage: Storage, source: Volume): string {
  const isFolder = storageType(storage).naming === 'file' && storage.type !== 'btrfs'
  return isFolder ? 'qcow2' : source.format
}

function parentOf(storage: Storage, volname: string): string {
  return storageType(storage).naming === 'file' ? `../${volname}` : `${volname}@__base__`
}

/** Turns a guest's volume into a template's base volume and returns it under its new volid. */
export function makeBaseVolume(cluster: Cluster, volid: string, node: string): Volume {
  const volume = requireVolume(cluster, volid, node)
  const {storage: id, volname} = parseVolid(volid)
  const storage = requireStorage(cluster, id)
  const parsed = parseVolname(storage, volname)
  if (parsed.isBase) die('create_base not possible with base image')
  const renamed = volname.slice(0, volname.length - parsed.name.length) + baseName(storage, parsed.name)
  volumeIndex(storage).rename(volume, `${id}:${renamed}`, volume.vmid)
  return volume
}

/** Gives the volume to another guest under that guest's next free disk number. */
export function reassignVolume(cluster: Cluster, volid: string, node: string, vmid: number): Volume {
  const volume = requireVolume(cluster, volid, node)
  const storage = requireStorage(cluster, parseVolid(volid).storage)
  const tail = `disk-${String(nextDiskNumber(storage, node, vmid))}`
  const name = diskName(storage, vmid, volume.format, tail)
  volumeIndex(storage).rename(volume, guestVolid(storage, vmid, name), vmid)
  return volume
}
