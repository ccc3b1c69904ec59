// Reads all guests of a cluster in the fewest calls that give a true answer: four for the cluster, two lists
// per node, one config per guest. `/cluster/resources` would be one call, but it lags behind and keeps the
// guests of dead nodes; so each node is asked, and configs are read while other lists are still coming in.
import type {ActualCluster, ActualGuest, HaMembership, Incompleteness, Privileges} from '../model/actual.ts'
import {attempt, type Attempt} from './attempt.ts'
import {
  readClusterStatus,
  readHaResources,
  readNodeRows,
  readPermissions,
  type ClusterStatusAnswer,
  type Permissions,
} from './answers.ts'
import type {ReadConnection} from './connection.ts'
import {joinPath, type ApiPath} from './paths.ts'
import {readNode, type NodeResult} from './read-node.ts'

export async function readCluster(connection: ReadConnection): Promise<ActualCluster> {
  const optional = <T>(path: ApiPath, read: (data: unknown) => T): Promise<Attempt<T>> =>
    attempt(async () => read((await connection.get(path)).data))
  const halt = new AbortController()
  const readings = connection.get(joinPath('nodes')).then((answer) => {
    const rows = readNodeRows(answer.data)
    return Promise.all(rows.map((row) => readNode(connection, row, halt.signal)))
  })
  try {
    const [nodes, status, ha, permissions] = await Promise.all([
      readings,
      optional(joinPath('cluster', 'status'), readClusterStatus),
      optional(joinPath('cluster', 'ha', 'resources'), readHaResources),
      optional(joinPath('access', 'permissions'), readPermissions),
    ])
    return assemble(nodes, status, ha, permissions)
  } catch (error) {
    // What waits in the queue would only repeat the failure, guest by guest.
    halt.abort(error)
    throw error
  }
}

function assemble(
  results: readonly NodeResult[],
  status: Attempt<ClusterStatusAnswer>,
  ha: Attempt<Map<number, HaMembership>>,
  permissions: Attempt<Permissions>,
): ActualCluster {
  const notes: string[] = []
  if ('error' in status) notes.push(`quorum unknown: ${status.error.message}`)
  if ('error' in ha) notes.push(`HA membership unknown: ${ha.error.message}`)
  const {guests, moving} = mergeGuests(results, 'value' in ha ? ha.value : undefined)
  const reasons = [
    ...results.flatMap((result) => result.reasons),
    ...privilegeReasons(permissions),
    ...moving,
  ]
  return {
    name: 'value' in status ? status.value.cluster?.name : undefined,
    quorum: quorumOf(status),
    nodes: results.map((result) => result.node).sort((a, b) => (a.name < b.name ? -1 : 1)),
    guests,
    privileges: 'value' in permissions ? asPrivileges(permissions.value) : undefined,
    completeness: reasons.length === 0 ? {complete: true} : {complete: false, reasons},
    notes,
  }
}

const asPrivileges = (permissions: Permissions): Privileges =>
  Object.fromEntries([...permissions].map(([path, held]) => [path, Object.fromEntries(held)]))

function quorumOf(status: Attempt<ClusterStatusAnswer>): ActualCluster['quorum'] {
  if ('error' in status) return 'unknown'
  const {cluster} = status.value
  if (!cluster) return 'standalone'
  return cluster.quorate ? 'quorate' : 'lost'
}

/** A guest that migrates while the lists are read can be seen on two nodes: the readable sight counts. */
function mergeGuests(
  results: readonly NodeResult[],
  ha: ReadonlyMap<number, HaMembership> | undefined,
): {guests: ActualGuest[]; moving: Incompleteness[]} {
  const byVmid = new Map<number, ActualGuest>()
  const moving: Incompleteness[] = []
  for (const guest of results.flatMap((result) => result.guests)) {
    const known: HaMembership = ha ? (ha.get(guest.vmid) ?? {managed: false}) : {managed: 'unknown'}
    const other = byVmid.get(guest.vmid)
    if (other) moving.push(seenTwice(other, guest))
    if (!other?.config.known) byVmid.set(guest.vmid, {...guest, ha: known})
  }
  return {guests: [...byVmid.values()].sort((a, b) => a.vmid - b.vmid), moving}
}

function seenTwice(a: Pick<ActualGuest, 'vmid' | 'node'>, b: Pick<ActualGuest, 'node'>): Incompleteness {
  const message = `guest ${String(a.vmid)} was listed on ${a.node} and on ${b.node}: it is moving`
  return {code: 'guest_moving', message}
}

/**
 * Proxmox leaves guests out of a list for lack of VM.Audit without saying so. Only the privilege on /vms, valid
 * below it too, speaks against that.
 */
function privilegeReasons(permissions: Attempt<Permissions>): Incompleteness[] {
  if ('error' in permissions) {
    const message = `it is unknown which guests the token may see: ${permissions.error.message}`
    return [{code: 'privileges_unknown', message}]
  }
  const paths = permissions.value
  if (paths.get('/vms')?.get('VM.Audit') !== true) {
    const message = 'the token has no VM.Audit on /vms: guests that it may not see are missing from the list'
    return [{code: 'list_filtered', message}]
  }
  return [...paths]
    .filter(([path, held]) => /^\/vms\/\d+$/.test(path) && !held.has('VM.Audit'))
    .map(([path]) => ({
      code: 'list_filtered',
      message: `the token has no VM.Audit on ${path}: that guest is missing from the list`,
    }))
}
