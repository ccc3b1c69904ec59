// Which storage of the target node takes the volumes of which storage here: `local:fast,big`, or `1` for the same.
import {splitList} from '../../schema/split-list.ts'
import {paramError} from '../../pve-error.ts'

export interface StorageMap {
  entries: Map<string, string>
  /** For every storage that is not listed. */
  fallback?: string
  isIdentity: boolean
}

export const sameStorages: StorageMap = {entries: new Map(), isIdentity: true}

export function parseStorageMap(text: string): StorageMap {
  const map: StorageMap = {entries: new Map(), isIdentity: false}
  for (const entry of splitList(text)) {
    const [from = '', to] = entry.split(':')
    if (entry === '1') map.isIdentity = true
    else if (to === undefined) setFallback(map, from)
    else if (map.entries.has(from)) refuse(`duplicate mapping for source '${from}'`)
    else map.entries.set(from, to)
  }
  if (map.isIdentity && (map.entries.size > 0 || map.fallback !== undefined)) {
    refuse('identity mapping cannot be combined with other mappings')
  }
  return map
}

function setFallback(map: StorageMap, storage: string): void {
  if (map.fallback !== undefined) refuse('default target ID can only be provided once')
  map.fallback = storage
}

function refuse(why: string): never {
  paramError({targetstorage: `failed to parse storage map: ${why}\n`})
}

export const mapStorage = (map: StorageMap, storage: string): string =>
  map.entries.get(storage) ?? map.fallback ?? storage
