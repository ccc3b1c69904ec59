// What the cluster's lists show of nodes and of storages.
import {hasContent} from '../storage/volumes.ts'
import {hasStatistics} from './guest-stats.ts'
import type {Cluster} from '../cluster.ts'
import type {Node, Storage} from '../state.ts'

const ROOT_DISK_BYTES = 100 * 2 ** 30

/** A node's row; who may not audit it sees only that it is there. */
export function nodeRow(cluster: Cluster, node: Node, mayAudit: boolean): Record<string, unknown> {
  const row: Record<string, unknown> = {id: `node/${node.name}`, node: node.name, type: 'node'}
  const isKnown = hasStatistics(cluster)
  row['status'] = node.online ? (isKnown ? 'online' : 'unknown') : 'offline'
  if (isKnown) row['level'] = ''
  if (!isKnown || !mayAudit) return row
  const {total, used} = rootDisk(cluster, node)
  Object.assign(row, {maxcpu: node.cpus, maxmem: node.memoryBytes, maxdisk: total})
  if (!node.online) return row
  return Object.assign(row, {
    uptime: uptimeSeconds(cluster, node),
    cpu: 0,
    mem: Math.floor(node.memoryBytes / 8),
    disk: used,
  })
}

export function uptimeSeconds(cluster: Cluster, node: Node): number {
  return Math.max(0, Math.floor((cluster.clock.now() - node.bootedMs) / 1000))
}

/** The disk that holds the node's system, as its directory storage sees it. */
export function rootDisk(cluster: Cluster, node: Node): {total: number; used: number} {
  const local = cluster.state.storages.find(
    (s) => s.type === 'dir' && !s.shared && (s.nodes?.includes(node.name) ?? true) && hasContent(s, 'vztmpl'),
  )
  return {total: local?.totalBytes ?? ROOT_DISK_BYTES, used: local?.usedBytes ?? ROOT_DISK_BYTES / 10}
}

export function storageRow(cluster: Cluster, storage: Storage, node: string): Record<string, unknown> {
  const isKnown = (cluster.node(node)?.online ?? false) && hasStatistics(cluster)
  return {
    id: `storage/${node}/${storage.storage}`,
    storage: storage.storage,
    node,
    type: 'storage',
    plugintype: storage.type,
    status: isKnown ? 'available' : 'unknown',
    shared: storage.shared ? 1 : 0,
    content: storage.config['content'] ?? '',
    ...(isKnown && {maxdisk: storage.totalBytes, disk: storage.usedBytes}),
  }
}
