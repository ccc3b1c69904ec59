// The cluster as a whole: its resources, members, options and the next free vmid.
import {optionalText, type Call, type Route} from '../call.ts'
import {hasPrivs} from '../access/permissions.ts'
import {die, paramError} from '../pve-error.ts'
import {serviceId} from '../guest/status.ts'
import {guestRow, hasStatistics} from '../stats/guest-stats.ts'
import {nodeRow, storageRow} from '../stats/node-stats.ts'
import {isDisabled, isOnNode} from '../storage/volumes.ts'
import {routes as optionRoutes} from './cluster-options.ts'
import type {Guest} from '../state.ts'

type Row = Record<string, unknown>

export const routes: Route[] = [
  {method: 'GET', path: '/cluster/resources', handler: listResources},
  {method: 'GET', path: '/cluster/status', handler: readStatus},
  {method: 'GET', path: '/cluster/nextid', handler: nextId},
  ...optionRoutes,
]

function listResources(call: Call): Row[] {
  const type = optionalText(call, 'type')
  const rows: Row[] = []
  const pools = type === undefined ? poolRows(call) : new Map<string, Row>()
  rows.push(...pools.values())
  if (type === undefined || type === 'vm') rows.push(...guestRows(call, pools))
  if (type === undefined || type === 'node') rows.push(...nodeRows(call))
  if (type === undefined || type === 'storage') rows.push(...storageRows(call))
  if (type === undefined) rows.push(...networkRows(call))
  return rows
}

function poolRows(call: Call): Map<string, Row> {
  const rows = new Map<string, Row>()
  for (const {poolid} of call.cluster.state.pools) {
    if (!hasPrivs(call, `/pool/${poolid}`, ['Pool.Audit'])) continue
    rows.set(poolid, {id: `/pool/${poolid}`, pool: poolid, type: 'pool'})
  }
  return rows
}

function guestRows(call: Call, pools: Map<string, Row>): Row[] {
  const {state} = call.cluster
  const poolOf = new Map(state.pools.flatMap((p) => p.vmids.map((vmid) => [vmid, p.poolid])))
  const haStates = new Map(state.ha.map((r) => [r.sid, r.state]))
  const rows: Row[] = []
  for (const guest of state.guests.values()) {
    const row = guestRow(call.cluster, guest)
    const pool = poolOf.get(guest.vmid)
    if (pool !== undefined) addToPool(pools.get(pool), row)
    if (!hasPrivs(call, `/vms/${String(guest.vmid)}`, ['VM.Audit'])) continue
    if (pool !== undefined && hasPrivs(call, `/pool/${pool}`, ['Pool.Audit'])) row['pool'] = pool
    addOptions(row, guest, haStates)
    rows.push(row)
  }
  return rows
}

/** Lock and tags come straight from the config; only the figures lag. */
function addOptions(row: Row, guest: Guest, haStates: Map<string, string>): void {
  for (const option of ['lock', 'tags']) {
    const value = guest.config[option]
    if (value !== undefined && value !== '') row[option] = value
  }
  const hastate = haStates.get(serviceId(guest.kind, guest.vmid))
  if (hastate !== undefined) row['hastate'] = hastate
}

/** A pool sums up its running members. */
function addToPool(pool: Row | undefined, guest: Row): void {
  const number = (row: Row, key: string): number => Number(row[key] ?? 0)
  if (!pool || number(guest, 'uptime') === 0) return
  const [oldCpus, newCpus] = [number(pool, 'maxcpu'), number(guest, 'maxcpu')]
  const load = number(pool, 'cpu') * oldCpus + number(guest, 'cpu') * newCpus
  pool['uptime'] = Math.max(number(pool, 'uptime'), number(guest, 'uptime'))
  pool['mem'] = number(pool, 'mem') + number(guest, 'mem')
  pool['maxmem'] = number(pool, 'maxmem') + number(guest, 'maxmem')
  pool['cpu'] = load / (oldCpus + newCpus)
  pool['maxcpu'] = oldCpus + newCpus
}

function nodeRows(call: Call): Row[] {
  const {nodes, ha} = call.cluster.state
  return nodes.map((node) => ({
    ...nodeRow(call.cluster, node, hasPrivs(call, `/nodes/${node.name}`, ['Sys.Audit'])),
    ...(hasStatistics(call.cluster) && {'cgroup-mode': 2}),
    ...(ha.length > 0 && {hastate: node.online ? 'online' : 'unknown'}),
  }))
}

function storageRows(call: Call): Row[] {
  const {storages, nodes} = call.cluster.state
  return storages
    .filter((s) => !isDisabled(s) && hasPrivs(call, `/storage/${s.storage}`, ['Datastore.Audit']))
    .flatMap((s) => nodes.filter((n) => isOnNode(s, n.name)).map((n) => storageRow(call.cluster, s, n.name)))
}

function networkRows(call: Call): Row[] {
  if (!hasPrivs(call, '/sdn/zones/localnetwork', ['SDN.Audit'])) return []
  return call.cluster.state.nodes.map(({name}) => ({
    id: `network/${name}/zone/localnetwork`,
    type: 'network',
    'network-type': 'zone',
    network: 'localnetwork',
    node: name,
    status: 'ok',
  }))
}

/** A standalone node has no cluster row and the number 0. */
function readStatus(call: Call): Row[] {
  const {clusterName, nodes, quorate, localNode} = call.cluster.state
  const members = nodes.map((node, i) => ({
    type: 'node',
    id: `node/${node.name}`,
    name: node.name,
    nodeid: clusterName === null ? 0 : i + 1,
    ip: node.ip,
    local: node.name === localNode ? 1 : 0,
    online: node.online ? 1 : 0,
    level: '',
  }))
  if (clusterName === null) return members
  const cluster = {
    type: 'cluster',
    id: 'cluster',
    name: clusterName,
    version: nodes.length,
    nodes: nodes.length,
  }
  return [{...cluster, quorate: quorate ? 1 : 0}, ...members]
}

function nextId(call: Call): string {
  const {guests, options} = call.cluster.state
  const wanted = optionalText(call, 'vmid')
  if (wanted !== undefined) {
    if (guests.has(Number(wanted))) paramError({vmid: `VM ${wanted} already exists`})
    return wanted
  }
  const range = options['next-id']
  const bounds = typeof range === 'object' && range !== null ? (range as Row) : {}
  const lower = Number(bounds['lower'] ?? 100)
  const upper = Number(bounds['upper'] ?? 1_000_000)
  for (let vmid = lower; vmid < upper; vmid++) if (!guests.has(vmid)) return String(vmid)
  die(`unable to get any free VMID in range [${String(lower)}, ${String(upper)}]`)
}
