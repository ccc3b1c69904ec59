// storage.cfg: which storages the cluster has, and how they are added, changed and forgotten.
import {createHash} from 'node:crypto'
import {optionalText, text, type Call, type Route} from '../call.ts'
import {die} from '../pve-error.ts'
import {requireUnchanged, underFileLock} from '../shared-file.ts'
import {hasPrivs} from '../access/permissions.ts'
import {methodSchema} from '../schema/api-schema.ts'
import {splitList} from '../schema/split-list.ts'
import {checkDeletion, checkOptions, contentOf, isShared} from '../storage/storage-options.ts'
import {findStorage, requireStorage} from '../storage/volumes.ts'
import type {Cluster} from '../cluster.ts'
import type {Storage} from '../state.ts'

export const routes: Route[] = [
  {method: 'GET', path: '/storage', handler: listStorages},
  {method: 'POST', path: '/storage', handler: createStorage},
  {method: 'GET', path: '/storage/{storage}', handler: readStorage},
  {method: 'PUT', path: '/storage/{storage}', handler: updateStorage},
  {method: 'DELETE', path: '/storage/{storage}', handler: deleteStorage},
]

/** Whoever may see it or use its space. */
export const mayList = (call: Call, storage: Storage): boolean =>
  hasPrivs(call, `/storage/${storage.storage}`, ['Datastore.Audit', 'Datastore.AllocateSpace'], true)

function listStorages(call: Call): unknown[] {
  const type = optionalText(call, 'type')
  const digest = digestOf(call.cluster)
  return call.cluster.state.storages
    .filter((s) => mayList(call, s) && (type === undefined || s.type === type))
    .map((s) => configRow(s, digest))
}

function readStorage(call: Call): unknown {
  return configRow(requireStorage(call.cluster, text(call, 'storage')), digestOf(call.cluster))
}

const NUMERIC = new Set(['boolean', 'integer', 'number'])

function configRow(storage: Storage, digest: string): Record<string, unknown> {
  const row: Record<string, unknown> = {storage: storage.storage, type: storage.type, digest}
  const known = methodSchema('/storage', 'POST')?.parameters.properties ?? {}
  for (const [name, value] of Object.entries(storage.config)) {
    row[name] = NUMERIC.has(known[name]?.type ?? '') ? Number(value) : value
  }
  if (storage.nodes) row['nodes'] = storage.nodes.join(',')
  if (storage.shared) row['shared'] = 1
  return row
}

function digestOf(cluster: Cluster): string {
  const config = cluster.state.storages.map((s) => [s.storage, s.type, s.config, s.nodes, s.shared])
  return createHash('sha1').update(JSON.stringify(config)).digest('hex')
}

const NOT_OPTIONS = new Set(['storage', 'type', 'digest', 'delete'])
/** Kept apart from storage.cfg. */
const SENSITIVE = new Set(['password', 'keyring', 'encryption-key', 'master-pubkey'])

function optionsOf(call: Call): Record<string, string> {
  const options: Record<string, string> = {}
  for (const [name, value] of Object.entries(call.params)) {
    if (!NOT_OPTIONS.has(name) && typeof value === 'string') options[name] = value
  }
  return options
}

const DIRECTORY = /^\/[-/a-zA-Z0-9_.@]+$/
const MOUNTED = new Set(['nfs', 'cifs', 'cephfs'])

function createStorage(call: Call): unknown {
  const {cluster} = call
  const [storage, type] = [text(call, 'storage'), text(call, 'type')]
  const options = optionsOf(call)
  if (options['nodes'] === '') delete options['nodes']
  if (MOUNTED.has(type)) options['path'] ??= `/mnt/pve/${storage}`
  checkOptions(type, Object.keys(options), true)
  options['content'] = contentOf(type, options['content'])
  if (type === 'dir' && !DIRECTORY.test(options['path'] ?? '')) {
    die(`illegal path for directory storage: ${options['path'] ?? ''}`)
  }
  underFileLock('create storage failed', () => {
    if (findStorage(cluster, storage)) die(`storage ID '${storage}' already defined`)
    const added: Storage = {storage, type, config: {}, shared: false, volumes: [], ...sizesOf(cluster, type)}
    setOptions(added, options)
    cluster.state.storages.push(added)
  })
  return {storage, type}
}

const NEW_DISK_BYTES = 100 * 2 ** 30

/** A new folder lies on the disk that the first one lies on. */
function sizesOf(cluster: Cluster, type: string): Pick<Storage, 'totalBytes' | 'usedBytes'> {
  const beside = type === 'dir' ? cluster.state.storages.find((s) => s.type === 'dir') : undefined
  return {totalBytes: beside?.totalBytes ?? NEW_DISK_BYTES, usedBytes: beside?.usedBytes ?? 0}
}

function setOptions(storage: Storage, options: Record<string, string>): void {
  const {nodes, shared, ...rest} = options
  if (rest['path'] !== undefined) rest['path'] = rest['path'].replace(/(?<=.)\/+$/, '')
  for (const [name, value] of Object.entries(rest)) if (!SENSITIVE.has(name)) storage.config[name] = value
  if (nodes !== undefined) storage.nodes = splitList(nodes)
  storage.shared = isShared(storage.type, shared ?? (storage.shared ? '1' : '0'))
}

function updateStorage(call: Call): unknown {
  const {cluster} = call
  return underFileLock('update storage failed', () => {
    requireUnchanged(optionalText(call, 'digest'), digestOf(cluster))
    const storage = requireStorage(cluster, text(call, 'storage'))
    const options = optionsOf(call)
    const deleted = splitList(optionalText(call, 'delete') ?? '')
    checkOptions(storage.type, Object.keys(options), false)
    if (options['content'] !== undefined) options['content'] = contentOf(storage.type, options['content'])
    checkDeletion(storage.type, deleted, Object.keys(options))
    for (const name of deleted) Reflect.deleteProperty(storage.config, name)
    if (deleted.includes('nodes')) delete storage.nodes
    if (deleted.includes('shared')) storage.shared = isShared(storage.type, undefined)
    setOptions(storage, options)
    storage.config['content'] ??= contentOf(storage.type, undefined)
    return {storage: storage.storage, type: storage.type}
  })
}

/** Without an entry of its own, `local` is what it is by default. */
const LOCAL = {
  path: '/var/lib/vz',
  'prune-backups': 'keep-all=1',
  content: 'backup,images,iso,rootdir,snippets,vztmpl',
}

function deleteStorage(call: Call): null {
  const {state} = call.cluster
  const storage = underFileLock('delete storage failed', () =>
    requireStorage(call.cluster, text(call, 'storage')),
  )
  const id = storage.storage
  if (id === 'local') storage.config = {...LOCAL}
  else state.storages = state.storages.filter((s) => s !== storage)
  for (const pool of state.pools) pool.storages = pool.storages.filter((s) => s !== id)
  state.access.acl = state.access.acl.filter((entry) => entry.path !== `/storage/${id}`)
  return null
}
