// Which storages there are, where, and for what.
import {die} from '../pve-error.ts'
import type {Cluster} from '../cluster.ts'
import type {Storage} from '../state.ts'

export function findStorage(cluster: Cluster, storage: string): Storage | undefined {
  return cluster.state.storages.find((s) => s.storage === storage)
}

export const isDisabled = (storage: Storage): boolean => storage.config['disable'] === '1'

export const isOnNode = (storage: Storage, node: string): boolean => storage.nodes?.includes(node) ?? true

/** The storage, or Proxmox's error; with a node also that it is enabled and available there. */
export function requireStorage(cluster: Cluster, storage: string, node?: string): Storage {
  const found = findStorage(cluster, storage) ?? die(`storage '${storage}' does not exist`)
  if (node === undefined) return found
  if (isDisabled(found)) die(`storage '${storage}' is disabled`)
  if (!isOnNode(found, node)) die(`storage '${storage}' is not available on node '${node}'`)
  return found
}

/** Whether the storage is configured for that content: images, rootdir, iso, vztmpl, backup, snippets, import. */
export function hasContent(storage: Storage, content: string): boolean {
  return (storage.config['content'] ?? '').split(',').includes(content)
}
