// The volumes of a storage as one node lists them: images, templates, ISO files and backups.
import {nodeOf, optionalText, text, vmidOf, type Call, type Route} from '../call.ts'
import {die, paramError} from '../pve-error.ts'
import {checkVolumeAccess} from '../guest/volume-access.ts'
import {
  addVolume,
  hasContent,
  listVolumes,
  parseVolname,
  requireStorage,
  storageType,
} from '../storage/volumes.ts'
import {routes as volumeRoutes} from './storage-volume.ts'
import type {Storage, Volume} from '../state.ts'

const content = '/nodes/{node}/storage/{storage}/content'

export const routes: Route[] = [
  {method: 'GET', path: content, handler: listContent},
  {method: 'POST', path: content, handler: allocate},
  ...volumeRoutes,
]

function listContent(call: Call): unknown[] {
  const {cluster} = call
  const storage = requireStorage(cluster, text(call, 'storage'), nodeOf(call))
  const wanted = optionalText(call, 'content')
  const vmid = optionalText(call, 'vmid')
  return listVolumes(storage, nodeOf(call), vmid === undefined ? {} : {vmid: Number(vmid)})
    .map((volume) => ({volume, content: listedContent(call, volume)}))
    .filter((item) => hasContent(storage, item.content) && (wanted === undefined || item.content === wanted))
    .filter((item) => isAccessible(call, item.volume))
    .sort((a, b) => compareText(a.volume.volid.toLowerCase(), b.volume.volid.toLowerCase()))
    .map((item) => contentRow(storage, item.volume, item.content))
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** An image counts as a container's by the guest that owns it now. */
function listedContent(call: Call, volume: Volume): string {
  if (volume.content !== 'images' && volume.content !== 'rootdir') return volume.content
  const owner = volume.vmid === undefined ? undefined : call.cluster.guest(volume.vmid)
  return owner?.kind === 'lxc' ? 'rootdir' : 'images'
}

function isAccessible(call: Call, volume: Volume): boolean {
  try {
    checkVolumeAccess(call, undefined, volume.volid)
    return true
  } catch {
    return false
  }
}

function contentRow(storage: Storage, volume: Volume, kind: string): Record<string, unknown> {
  const {volid, format, size, vmid, ctime, notes} = volume
  const row: Record<string, unknown> = {volid, content: kind, format, size}
  if (vmid !== undefined) row['vmid'] = vmid
  if (ctime !== undefined) row['ctime'] = ctime
  if (kind === 'backup') {
    const subtype = /vzdump-(lxc|qemu)-/.exec(volid)?.[1]
    if (subtype !== undefined) row['subtype'] = subtype
    if (notes !== undefined) row['notes'] = notes.split('\n', 1)[0]
    if (volume.protected) row['protected'] = 1
  } else if ((kind === 'images' || kind === 'rootdir') && storageType(storage).naming === 'file') {
    row['used'] = volume.used ?? size
    row['parent'] = volume.parent ?? null
  }
  return row
}

const UNIT_KIB: Record<string, number> = {'': 1, M: 1024, G: 1024 * 1024}

function allocate(call: Call): string {
  const name = text(call, 'filename')
  const size = text(call, 'size')
  const [, count, unit = ''] = /^(\d+)([MG]?)$/.exec(size) ?? []
  if (count === undefined) paramError({size: `unable to parse size '${size}'`})
  const fromName = /\.(raw|qcow2|vmdk)$/.exec(name)?.[1]
  const given = optionalText(call, 'format')
  if (fromName !== undefined && given !== undefined && given !== fromName) {
    paramError({format: `different storage formats (${given} != ${fromName})`})
  }
  const storage = requireStorage(call.cluster, text(call, 'storage'), nodeOf(call))
  const format = fromName ?? given ?? storageType(storage).defaultFormat
  const vmid = vmidOf(call)
  const sizeBytes = Number(count) * (UNIT_KIB[unit] ?? 1) * 1024
  const volid = `${storage.storage}:${allocatedName(storage, vmid, name, format)}`
  return addVolume(call.cluster, storage, nodeOf(call), {
    volid,
    vmid,
    format,
    content: 'images',
    size: sizeBytes,
  }).volid
}

/** The storage's own spelling of a name that the caller chose. */
function allocatedName(storage: Storage, vmid: number, name: string, format: string): string {
  if (storageType(storage).naming === 'file') {
    const extension = parseVolname(storage, `${String(vmid)}/${name}`).format
    if (extension !== format)
      die(`illegal name '${name}' - wrong extension for format ('${extension} != '${format}')`)
    return `${String(vmid)}/${name}`
  }
  const prefix = format === 'subvol' ? 'subvol' : 'vm'
  if (!name.startsWith(`${prefix}-${String(vmid)}-`)) {
    die(`illegal name '${name}' - should be '${prefix}-${String(vmid)}-*'`)
  }
  return name
}
