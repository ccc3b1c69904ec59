// GET vzdump/defaults: what a backup does when it is told nothing.
import {nodeOf, optionalText, type Call, type Route} from '../call.ts'
import {hasPrivs, requirePrivs} from '../access/permissions.ts'
import {die} from '../pve-error.ts'
import {methodSchema} from '../schema/api-schema.ts'
import {readMethod} from '../schema/read-method.ts'
import {hasContent, requireStorage} from '../storage/volumes.ts'

const path = '/nodes/{node}/vzdump/defaults'
const storageId = {format: 'pve-storage-id', type: 'string', optional: 1} as const

export const routes: Route[] = [
  {
    method: 'GET',
    path,
    schema: readMethod(path, {onNode: true, properties: {storage: storageId}}),
    handler: readDefaults,
  },
]

const AUDITORS_ONLY = ['dumpdir', 'ionice']

function readDefaults(call: Call): Record<string, unknown> {
  const storage = optionalText(call, 'storage') ?? 'local'
  requirePrivs(call, `/storage/${storage}`, ['Datastore.Audit', 'Datastore.AllocateSpace'], true)
  const found = requireStorage(call.cluster, storage)
  const {config} = found
  if (!hasContent(found, 'backup')) {
    die(`can't use storage '${storage}' for backups - wrong content type`)
  }
  const defaults: Record<string, unknown> = {
    ...schemaDefaults(),
    performance: {'max-workers': 16, 'pbs-entries-max': 1_048_576},
    fleecing: {enabled: 0},
    storage,
    dumpdir: `${config['path'] ?? `/mnt/pve/${storage}`}/dump`,
  }
  if (config['prune-backups'] !== undefined) defaults['prune-backups'] = config['prune-backups']
  if (hasPrivs(call, `/nodes/${nodeOf(call)}`, ['Sys.Audit'])) return defaults
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => !AUDITORS_ONLY.includes(name)))
}

function schemaDefaults(): Record<string, unknown> {
  const properties = methodSchema('/nodes/{node}/vzdump', 'POST')?.parameters.properties ?? {}
  const entries = Object.entries(properties).map(([name, {default: value}]) => [name, value])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, unknown>
}
