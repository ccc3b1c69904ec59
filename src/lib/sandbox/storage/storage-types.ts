// What each kind of storage can do: the formats it keeps, the features of its volumes and how it names them.
import type {Storage} from '../state.ts'

export type Feature = 'snapshot' | 'clone' | 'template' | 'copy' | 'sparseinit' | 'rename' | 'replicate'
/** What a feature is asked of: the current volume, a template's base volume, or a snapshot of the volume. */
export type FeatureSubject = 'current' | 'base' | 'snap'
type FeatureTable = Partial<Record<Feature, Partial<Record<FeatureSubject, readonly string[]>>>>

export interface StorageType {
  /** `file`: `101/vm-101-disk-0.raw` under a path; `zfs`, `lvm`, `lvmthin`, `rbd`: bare names. */
  naming: 'file' | 'zfs' | 'lvm' | 'lvmthin' | 'rbd'
  formats: readonly string[]
  defaultFormat: string
  features: FeatureTable
  /** Linked clones carry their base volume in their volid. */
  clonesNameTheirBase: boolean
  /** Sizes are rounded up to a multiple of this. */
  extentBytes: number
}

const fileFormats = ['qcow2', 'raw', 'vmdk']
const btrfsAny = ['qcow2', 'raw', 'subvol', 'vmdk']
const blockFormats = ['raw', 'subvol']
const MiB = 1024 * 1024

const directory: StorageType = {
  naming: 'file',
  formats: ['raw', 'qcow2', 'vmdk', 'subvol'],
  defaultFormat: 'raw',
  features: {
    snapshot: {current: ['qcow2'], snap: ['qcow2']},
    clone: {base: fileFormats},
    template: {current: [...fileFormats, 'subvol']},
    copy: {base: fileFormats, current: fileFormats, snap: ['qcow2']},
    sparseinit: {base: fileFormats, current: fileFormats},
    rename: {current: fileFormats},
  },
  clonesNameTheirBase: true,
  extentBytes: 1024,
}

const btrfs: StorageType = {
  naming: 'file',
  formats: ['raw', 'subvol'],
  defaultFormat: 'raw',
  features: {
    snapshot: {current: ['qcow2', 'raw', 'subvol'], snap: ['qcow2', 'raw', 'subvol']},
    clone: {base: btrfsAny, current: ['raw'], snap: ['raw']},
    template: {current: btrfsAny},
    copy: {base: btrfsAny, current: btrfsAny, snap: ['qcow2', 'raw', 'subvol']},
    sparseinit: {base: fileFormats, current: fileFormats},
    rename: {current: fileFormats},
  },
  clonesNameTheirBase: false,
  extentBytes: 1024,
}

const lvmThin: StorageType = {
  naming: 'lvmthin',
  formats: ['raw'],
  defaultFormat: 'raw',
  features: {
    snapshot: {current: blockFormats},
    clone: {base: blockFormats, snap: blockFormats},
    template: {current: blockFormats},
    copy: {base: blockFormats, current: blockFormats, snap: blockFormats},
    sparseinit: {base: blockFormats, current: blockFormats},
    rename: {current: blockFormats},
  },
  clonesNameTheirBase: false,
  extentBytes: 4 * MiB,
}

const lvm: StorageType = {
  naming: 'lvm',
  formats: ['raw', 'qcow2'],
  defaultFormat: 'raw',
  features: {
    copy: {base: ['qcow2', 'raw'], current: ['qcow2', 'raw'], snap: ['qcow2']},
    rename: {current: ['qcow2', 'raw']},
    snapshot: {current: ['qcow2'], snap: ['qcow2']},
  },
  clonesNameTheirBase: false,
  extentBytes: 4 * MiB,
}

const zfsPool: StorageType = {
  naming: 'zfs',
  formats: ['raw', 'subvol'],
  defaultFormat: 'raw',
  features: {
    snapshot: {current: blockFormats, snap: blockFormats},
    clone: {base: blockFormats},
    template: {current: blockFormats},
    copy: {base: blockFormats, current: blockFormats},
    sparseinit: {base: blockFormats, current: blockFormats},
    replicate: {base: blockFormats, current: blockFormats},
    rename: {current: blockFormats},
  },
  clonesNameTheirBase: true,
  extentBytes: MiB,
}

const rbd: StorageType = {
  naming: 'rbd',
  formats: ['raw'],
  defaultFormat: 'raw',
  features: {...lvmThin.features, snapshot: {current: blockFormats, snap: blockFormats}},
  clonesNameTheirBase: true,
  extentBytes: MiB,
}

const types: Record<string, StorageType> = {
  dir: directory,
  nfs: {...directory, formats: ['raw', 'qcow2', 'vmdk']},
  cifs: {...directory, formats: ['raw', 'qcow2', 'vmdk']},
  cephfs: directory,
  btrfs,
  lvm,
  lvmthin: lvmThin,
  zfspool: zfsPool,
  rbd,
}

export function storageType(storage: Pick<Storage, 'type'>): StorageType {
  return types[storage.type] ?? directory
}

export const knownStorageTypes: readonly string[] = Object.keys(types)

/** The format in which a container's volume is made there: a subvolume where the storage prefers it. */
export function containerFormat(storage: Storage, sizeBytes: number): string {
  if (storage.type === 'zfspool') return 'subvol'
  if (storageType(storage).naming !== 'file') return 'raw'
  const quotas = storage.type === 'btrfs' && storage.config['quotas'] === '1'
  return sizeBytes > 0 && !quotas ? 'raw' : 'subvol'
}
