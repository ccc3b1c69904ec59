// Which options each kind of storage has in storage.cfg, which of them it needs and which never change, and what it
// may hold.
import {die} from '../pve-error.ts'
import {splitList} from '../schema/split-list.ts'

export interface StorageOptions {
  /** Needed, and fixed once given. */
  required: readonly string[]
  optional: readonly string[]
  /** Optional, and fixed once given. */
  fixed?: readonly string[]
  contents: readonly string[]
  defaultContent: string
}

const words = (text: string): string[] => text.split(' ')

const anywhere = words('nodes disable content')
const folder = words(
  'prune-backups max-protected-backups format mkdir create-base-path create-subdirs preallocation',
)
const network = words('content-dirs bwlimit options')
const chain = ['snapshot-as-volume-chain']
const files = words('images rootdir vztmpl iso backup snippets import')
const disks = ['images', 'rootdir']

const types: Record<string, StorageOptions | undefined> = {
  dir: {
    required: ['path'],
    optional: [...anywhere, ...folder, ...words('content-dirs shared is_mountpoint bwlimit')],
    fixed: chain,
    contents: [...files, 'none'],
    defaultContent: 'images,rootdir',
  },
  btrfs: {
    required: ['path'],
    optional: [...anywhere, ...folder, ...words('shared is_mountpoint nocow')],
    contents: [...files, 'none'],
    defaultContent: 'images,rootdir',
  },
  nfs: {
    required: words('path server export'),
    optional: [...anywhere, ...folder, ...network],
    fixed: chain,
    contents: files,
    defaultContent: 'images',
  },
  cifs: {
    required: words('path server share'),
    optional: [
      ...[...anywhere, ...folder, ...network],
      ...words('subdir username password domain smbversion'),
    ],
    fixed: chain,
    contents: files,
    defaultContent: 'images',
  },
  cephfs: {
    required: ['path'],
    optional: [
      ...[...anywhere, ...folder, ...network],
      ...words('monhost subdir username fuse keyring fs-name'),
    ],
    contents: words('vztmpl iso backup snippets import'),
    defaultContent: 'backup',
  },
  lvm: {
    required: ['vgname'],
    optional: [
      ...[...anywhere, ...chain],
      ...words('shared saferemove saferemove-stepsize saferemove_throughput tagged_only bwlimit'),
    ],
    fixed: ['base'],
    contents: disks,
    defaultContent: 'images',
  },
  lvmthin: {
    required: words('thinpool vgname'),
    optional: [...anywhere, 'bwlimit'],
    contents: disks,
    defaultContent: 'images,rootdir',
  },
  zfspool: {
    required: ['pool'],
    optional: [...anywhere, ...words('blocksize sparse bwlimit mountpoint')],
    contents: disks,
    defaultContent: 'images,rootdir',
  },
  rbd: {
    required: [],
    optional: [...anywhere, ...words('monhost pool data-pool namespace username krbd keyring bwlimit')],
    contents: disks,
    defaultContent: 'images',
  },
}

/** A kind that Proxmox has and the sandbox has not is refused in words of its own. */
export function storageOptions(type: string): StorageOptions {
  return types[type] ?? die(`storages of type '${type}' are not part of this sandbox`)
}

export const isShared = (type: string, shared: string | undefined): boolean =>
  shared === '1' || ['nfs', 'cifs', 'cephfs', 'rbd', 'pbs'].includes(type)

/** Dies for an option that the kind does not have, and for a change of what is fixed. */
export function checkOptions(type: string, given: readonly string[], isNew: boolean): void {
  const {required, optional, fixed = []} = storageOptions(type)
  for (const name of given) {
    if (!isNew && (required.includes(name) || fixed.includes(name))) {
      die(`can't change value of fixed parameter '${name}'`)
    }
    if (![...required, ...optional, ...fixed].includes(name)) die(`unexpected property '${name}'`)
  }
  const missing = isNew ? required.find((name) => !given.includes(name)) : undefined
  if (missing !== undefined) die(`missing value for required option '${missing}'`)
}

export function checkDeletion(type: string, deleted: readonly string[], given: readonly string[]): void {
  const {required, optional, fixed = []} = storageOptions(type)
  for (const name of deleted) {
    if (required.includes(name)) die(`unable to delete required option '${name}'`)
    if (fixed.includes(name)) die(`unable to delete fixed option '${name}'`)
    if (!optional.includes(name)) die(`no such option '${name}'`)
    if (given.includes(name)) die(`cannot set and delete property '${name}' at the same time!`)
  }
}

/** The contents that the kind can hold of those that were asked for. */
export function contentOf(type: string, text: string | undefined): string {
  const {contents, defaultContent} = storageOptions(type)
  if (text === undefined) return defaultContent
  const held = splitList(text).filter((content) => contents.includes(content))
  if (held.includes('none') && held.length > 1) die("unable to combine 'none' with other content types")
  if (held.length === 0 && !contents.includes('none')) die("storage does not support content type 'none'")
  return held.join(',')
}
