// What a volume offers, and where it lies on its node.
import {requireStorage} from './storages.ts'
import {storageType, type Feature, type FeatureSubject} from './storage-types.ts'
import {parseVolid, parseVolname} from './volume-names.ts'
import type {Cluster} from '../cluster.ts'
import type {Storage} from '../state.ts'

/** Whether that volume, or that snapshot of it, offers the feature. */
export function volumeHasFeature(
  cluster: Cluster,
  feature: Feature,
  volid: string,
  opts: {snapname?: string; validTargetFormats?: readonly string[]} = {},
): boolean {
  const {storage: id, volname} = parseVolid(volid)
  const storage = requireStorage(cluster, id)
  const {isBase, format} = parseVolname(storage, volname)
  const subject: FeatureSubject = opts.snapname !== undefined ? 'snap' : isBase ? 'base' : 'current'
  const isFolder = storageType(storage).naming === 'file' && storage.type !== 'btrfs'
  if (feature === 'clone' && isFolder && opts.validTargetFormats?.includes('qcow2') === false) return false
  return storageType(storage).features[feature]?.[subject]?.includes(format) ?? false
}

const subfolders = {
  images: 'images',
  iso: 'template/iso',
  vztmpl: 'template/cache',
  backup: 'dump',
  snippets: 'snippets',
  import: 'import',
} as const

/** Where the volume lies on its node. */
export function volumePath(cluster: Cluster, volid: string): string {
  const {storage: id, volname} = parseVolid(volid)
  const storage = requireStorage(cluster, id)
  const parsed = parseVolname(storage, volname)
  const {naming} = storageType(storage)
  if (naming === 'zfs') return zfsPath(storage, parsed)
  if (naming !== 'file')
    return `/dev/${storage.config['vgname'] ?? storage.config['pool'] ?? id}/${parsed.name}`
  const folder = `${storage.config['path'] ?? `/mnt/pve/${id}`}/${subfolders[parsed.content]}`
  if (parsed.content !== 'images') return `${folder}/${parsed.name}`
  const file = `${folder}/${String(parsed.vmid)}/${parsed.name}`
  return storage.type === 'btrfs' ? file.replace(/\.raw$/, '/disk.raw') : file
}

function zfsPath(storage: Storage, parsed: {name: string; format: string}): string {
  const pool = storage.config['pool'] ?? storage.storage
  return parsed.format === 'subvol' ? `/${pool}/${parsed.name}` : `/dev/zvol/${pool}/${parsed.name}`
}
