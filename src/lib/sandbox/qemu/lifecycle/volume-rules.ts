// What a volume's name and storage say about it, for destruction and migration.
import {die} from '../../pve-error.ts'
import {
  findStorage,
  hasContent,
  parseVolid,
  parseVolname,
  storageType,
  tryParseVolid,
} from '../../storage/volumes.ts'
import type {Cluster} from '../../cluster.ts'
import type {Storage} from '../../state.ts'

/** Whether linked clones need the volume, where clones carry their base in their own id. */
export function isUsedBase(cluster: Cluster, volid: string): boolean {
  const id = tryParseVolid(volid)
  const storage = id && findStorage(cluster, id.storage)
  if (!storage || !parseVolname(storage, id.volname).isBase) return false
  return storage.volumes.some((volume) => volume.volid.startsWith(`${volid}/`))
}

/** The guest that the volume's name says it belongs to. */
export function ownerOf(cluster: Cluster, volid: string): number | undefined {
  const id = tryParseVolid(volid)
  const storage = id && findStorage(cluster, id.storage)
  return storage ? parseVolname(storage, id.volname).vmid : undefined
}

/** Dies where `storage` does not take what the volume is; its name is read as where it lies now. */
export function checkContent(storage: Storage, volid: string, from: Storage = storage): void {
  const {content} = parseVolname(from, parseVolid(volid).volname)
  if (hasContent(storage, content)) return
  die(`${volid}: content type '${content}' is not available on storage '${storage.storage}'`)
}

/** The wanted format where the storage knows it, else the storage's own. */
export function formatOn(storage: Storage, wanted: string): string {
  const {formats, defaultFormat} = storageType(storage)
  return formats.includes(wanted) ? wanted : defaultFormat
}
