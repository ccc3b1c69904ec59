// The storages of the cluster and what each node tells of them.
import {flag, nodeOf, optionalText, text, type Call, type Route} from '../call.ts'
import {paramError} from '../pve-error.ts'
import {findStorage, hasContent, isDisabled, isOnNode, storageType} from '../storage/volumes.ts'
import {routes as pruneRoutes} from './prune-backups.ts'
import {mayList, routes as configRoutes} from './storage-config.ts'
import {routes as contentRoutes} from './storage-content.ts'
import type {Storage} from '../state.ts'

export const routes: Route[] = [
  ...configRoutes,
  {method: 'GET', path: '/nodes/{node}/storage', handler: listNodeStorages},
  {
    method: 'GET',
    path: '/nodes/{node}/storage/{storage}',
    handler: () => folders.map((subdir) => ({subdir})),
  },
  {method: 'GET', path: '/nodes/{node}/storage/{storage}/status', handler: readStatus},
  ...contentRoutes,
  ...pruneRoutes,
]

const folders = [
  'content',
  'download-url',
  'file-restore',
  'import-metadata',
  'oci-registry-pull',
  'prunebackups',
  'rrd',
  'rrddata',
  'status',
  'upload',
]

function listNodeStorages(call: Call): unknown[] {
  const {cluster} = call
  const wanted = optionalText(call, 'storage')
  const candidates = cluster.state.storages.filter((s) => hasWantedContent(call, s))
  if (wanted !== undefined && !candidates.some((s) => s.storage === wanted))
    paramError({storage: 'No such storage.'})
  return candidates
    .filter((s) => mayList(call, s) && (wanted === undefined || s.storage === wanted))
    .filter((s) => !(flag(call, 'enabled') && isDisabled(s)))
    .filter((s) => isOnTarget(call, s))
    .map((s) => ({
      storage: s.storage,
      ...statusRow(call, s),
      ...(isEnabledOn(s, nodeOf(call)) && usedFraction(s)),
      ...formatsRow(call, s),
    }))
}

/** With `content` only storages count that offer one of the types and are enabled here. */
function hasWantedContent(call: Call, storage: Storage): boolean {
  const content = optionalText(call, 'content')
  if (content === undefined) return true
  const types = content.split(/[,;\0\s]+/)
  return types.some((t) => hasContent(storage, t)) && isEnabledOn(storage, nodeOf(call))
}

const isEnabledOn = (storage: Storage, node: string): boolean =>
  !isDisabled(storage) && isOnNode(storage, node)

function isOnTarget(call: Call, storage: Storage): boolean {
  const target = optionalText(call, 'target')
  const node = nodeOf(call)
  if (target === undefined || target === node || target === 'localhost') return true
  return storage.shared && isOnNode(storage, node) && isOnNode(storage, target)
}

function statusRow(call: Call, storage: Storage): Record<string, unknown> {
  const enabled = isEnabledOn(storage, nodeOf(call))
  const {totalBytes: total, usedBytes: used} = storage
  return {
    type: storage.type,
    content: storage.config['content'] ?? '',
    shared: storage.shared ? 1 : 0,
    enabled: enabled ? 1 : 0,
    active: enabled ? 1 : 0,
    total: enabled ? total : 0,
    used: enabled ? used : 0,
    avail: enabled ? total - used : 0,
  }
}

function usedFraction({totalBytes, usedBytes}: Storage): Record<string, unknown> {
  return totalBytes > 0 ? {used_fraction: usedBytes / totalBytes} : {}
}

function formatsRow(call: Call, storage: Storage): Record<string, unknown> {
  if (!flag(call, 'format')) return {}
  const {formats, defaultFormat} = storageType(storage)
  const valid = Object.fromEntries(formats.map((f) => [f, 1]))
  return {format: [valid, defaultFormat], formats: {supported: [...formats].sort(), default: defaultFormat}}
}

function readStatus(call: Call): unknown {
  const storage =
    findStorage(call.cluster, text(call, 'storage')) ?? paramError({storage: 'No such storage.'})
  return statusRow(call, storage)
}
