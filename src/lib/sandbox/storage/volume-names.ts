// Volume ids: how each kind of storage spells a volume's name, and how such a name is read back.
import {die} from '../pve-error.ts'
import {storageType, type StorageType} from './storage-types.ts'
import type {Storage} from '../state.ts'

export interface VolumeId {
  storage: string
  volname: string
}

export interface VolumeName {
  /** What Proxmox calls the vtype; `images` stands for guest volumes of both kinds. */
  content: 'images' | 'iso' | 'vztmpl' | 'backup' | 'snippets' | 'import'
  /** Without folder: `vm-101-disk-0.raw`. */
  name: string
  vmid?: number
  /** Of a linked clone: the base volume's own volname, `201/base-201-disk-0.qcow2`. */
  base?: string
  isBase: boolean
  format: string
}

const VOLUME_ID = /^([a-z][a-z0-9\-_.]*[a-z0-9]):(.+)$/i

export function tryParseVolid(volid: string): VolumeId | undefined {
  const match = VOLUME_ID.exec(volid)
  return match?.[1] !== undefined && match[2] !== undefined
    ? {storage: match[1], volname: match[2]}
    : undefined
}

/** Splits `storage:volname`, or dies as Proxmox does. */
export function parseVolid(volid: string): VolumeId {
  return tryParseVolid(volid) ?? die(`unable to parse volume ID '${volid}'`)
}

/** Reads a volume's name as its storage spells it, or dies with that storage type's own text. */
export function parseVolname(storage: Pick<Storage, 'type'>, volname: string): VolumeName {
  const {naming} = storageType(storage)
  if (naming === 'file') return parseFileName(volname)
  const pattern = naming === 'lvm' ? /^(vm)-(\d+)-\S+$/ : BLOCK_NAME
  const parts = naming === 'lvmthin' && volname.includes('/') ? undefined : splitBase(volname)
  const match = parts && pattern.exec(parts.name)
  if (!match) die(`unable to parse ${naming === 'lvmthin' ? 'lvm' : naming} volume name '${volname}'`)
  const prefix = match[1] ?? ''
  return {
    content: 'images',
    name: parts.name,
    vmid: Number(match[2]),
    ...(parts.base !== undefined && {base: parts.base}),
    isBase: prefix.startsWith('base'),
    format: blockFormat(naming, prefix, volname),
  }
}

const BLOCK_NAME = /^(vm|base|subvol|basevol)-(\d+)-\S+$/

function splitBase(volname: string): {base?: string; name: string} {
  const slash = volname.indexOf('/')
  return slash < 0 ? {name: volname} : {base: volname.slice(0, slash), name: volname.slice(slash + 1)}
}

function blockFormat(naming: StorageType['naming'], prefix: string, volname: string): string {
  if (naming === 'zfs' && (prefix === 'subvol' || prefix === 'basevol')) return 'subvol'
  return naming === 'lvm' && volname.endsWith('.qcow2') ? 'qcow2' : 'raw'
}

const ARCHIVE = /^vzdump-(openvz|lxc|qemu)-(\d+)-.+/
const folders: {content: VolumeName['content']; pattern: RegExp; format?: (name: string) => string}[] = [
  {content: 'iso', pattern: /^iso\/([^/]+\.(?:iso|img))$/i},
  {content: 'vztmpl', pattern: /^vztmpl\/([^/]+\.(?:tar\.(?:gz|xz|zst|bz2)|tar))$/i},
  {content: 'backup', pattern: /^backup\/([^/]+\.(?:tgz|(?:(?:tar|vma)(?:\.(?:gz|lzo|zst|bz2))?)))$/},
  {content: 'snippets', pattern: /^snippets\/([^/]+)$/},
  {content: 'import', pattern: /^import\/([^/]+\.(?:ova|ovf|qcow2|raw|vmdk))$/, format: extension},
]

function parseFileName(volname: string): VolumeName {
  const clone = /^(\d+\/\S+)\/(\d+)\/(\S+)$/.exec(volname)
  if (clone?.[1] !== undefined) {
    parseImageName(clone[1].slice(clone[1].indexOf('/') + 1))
    return {...parseImageName(clone[3] ?? ''), vmid: Number(clone[2]), base: clone[1]}
  }
  const plain = /^(\d+)\/(\S+)$/.exec(volname)
  if (plain) return {...parseImageName(plain[2] ?? ''), vmid: Number(plain[1])}
  for (const {content, pattern, format} of folders) {
    const name = pattern.exec(volname)?.[1]
    if (name === undefined) continue
    const owner = content === 'backup' ? ARCHIVE.exec(name)?.[2] : undefined
    return {
      content,
      name,
      isBase: false,
      format: format ? format(name) : 'raw',
      ...(owner !== undefined && {vmid: Number(owner)}),
    }
  }
  die(`unable to parse directory volume name '${volname}'`)
}

function parseImageName(name: string): VolumeName {
  const match = /^((?:(vm-|base-|subvol-)?\S+)\.(raw|qcow2|vmdk|subvol))$/.exec(name)
  if (!match || name.includes('/')) die(`unable to parse volume filename '${name}'`)
  return {content: 'images', name, isBase: match[2] === 'base-', format: match[3] ?? 'raw'}
}

function extension(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

/** `vm-101-disk-0` without folder or extension, with the prefix that storage and format ask for. */
export function diskName(storage: Storage, vmid: number, format: string, tail: string): string {
  const prefix = format === 'subvol' ? 'subvol' : 'vm'
  return withExtension(storage, `${prefix}-${String(vmid)}-${tail}`, format)
}

function withExtension(storage: Storage, name: string, format: string): string {
  const {naming} = storageType(storage)
  if (naming === 'file') return `${name}.${format}`
  return naming === 'lvm' && format === 'qcow2' ? `${name}.qcow2` : name
}

/** The full volid of a guest volume called `name`. */
export function guestVolid(storage: Storage, vmid: number, name: string): string {
  const folder = storageType(storage).naming === 'file' ? `${String(vmid)}/` : ''
  return `${storage.storage}:${folder}${name}`
}

/** `vm-…` → `base-…`, `subvol-…` → `basevol-…` (or `base-…` in a folder). */
export function baseName(storage: Storage, name: string): string {
  const subvol = storageType(storage).naming === 'file' ? 'base' : 'basevol'
  return name.replace(/^vm-/, 'base-').replace(/^subvol-/, `${subvol}-`)
}
