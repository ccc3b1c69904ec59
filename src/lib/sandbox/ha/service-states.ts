// The HA manager's account of itself: quorum, master, watchdogs, the agents of the nodes, and every service.
import {managerState} from '../guest/status.ts'
import type {Cluster} from '../cluster.ts'
import type {HaResource} from '../state.ts'

type Row = Record<string, unknown>

/** Without services the manager has never become active. */
export function serviceStates(cluster: Cluster): Row[] {
  const {localNode, quorate, ha} = cluster.state
  const quorum = {
    id: 'quorum',
    type: 'quorum',
    node: localNode,
    status: quorate ? 'OK' : `No quorum on node '${localNode}'!`,
    quorate: quorate ? 1 : 0,
  }
  if (ha.length === 0) return [quorum, watchdog(localNode, false)]
  const bySid = [...ha].sort((a, b) => (a.sid < b.sid ? -1 : 1))
  return [quorum, ...managers(cluster), ...bySid.map((resource) => serviceRow(cluster, resource))]
}

function watchdog(node: string, isArmed: boolean): Row {
  const state = isArmed ? 'armed' : 'standby'
  const status = `${state} (CRM watchdog ${isArmed ? 'active' : 'standby'})`
  return {id: 'fencing', type: 'fencing', node, status, 'armed-state': state}
}

/** The first node that is there; it stays so until it goes. */
export function masterNode(cluster: Cluster): string {
  return cluster.state.nodes.find((n) => n.online)?.name ?? cluster.state.localNode
}

function managers(cluster: Cluster): Row[] {
  const timestamp = cluster.nowSeconds()
  const time = perlTime(cluster.clock.now())
  const master = masterNode(cluster)
  const busy = new Set(cluster.state.ha.map((r) => cluster.guest(vmidOf(r))?.node))
  const agents = [...cluster.state.nodes]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({name, online}) => {
      const isActive = online && busy.has(name)
      const state = online ? (isActive ? 'active' : 'idle') : 'old timestamp - dead?'
      const status = `${name} (${state}, watchdog ${isActive ? 'active' : 'standby'}, ${time})`
      return {id: `lrm:${name}`, type: 'lrm', node: name, status, timestamp}
    })
  const status = `${master} (active, ${time})`
  return [{id: 'master', type: 'master', node: master, status, timestamp}, watchdog(master, true), ...agents]
}

const vmidOf = (resource: HaResource): number => Number(resource.sid.slice(resource.sid.indexOf(':') + 1))

/** While the guest is not yet where it should be, the service is on its way. */
function serviceRow(cluster: Cluster, resource: HaResource): Row {
  const {sid, state: wanted, max_restart, max_relocate, failback, comment} = resource
  const guest = cluster.guest(vmidOf(resource))
  const node = guest?.node ?? '---'
  const isRunning = guest?.runtime.status === 'running'
  const state = guest ? verboseState(wanted, isRunning) : 'not found'
  return {
    id: `service:${sid}`,
    type: 'service',
    sid,
    node,
    ...(wanted !== 'ignored' && {crm_state: managerState(resource, isRunning)}),
    state,
    status: `${sid} (${node}, ${state})`,
    request_state: wanted,
    max_restart: max_restart ?? 1,
    max_relocate: max_relocate ?? 1,
    failback: failback ?? 1,
    ...(comment !== undefined && {comment}),
  }
}

function verboseState(wanted: string, isRunning: boolean): string {
  if (wanted === 'started') return isRunning ? 'started' : 'starting'
  if (wanted === 'stopped' || wanted === 'disabled') return isRunning ? 'stopping' : wanted
  return wanted
}

/** GET manager_status: what the master writes down for itself. */
export function managerStatus(cluster: Cluster): Row {
  const {localNode, quorate, ha, nodes} = cluster.state
  const quorum = {node: localNode, quorate: quorate ? '1' : ''}
  if (ha.length === 0) return {manager_status: {}, quorum}
  const services = ha.map((resource): [string, Row] => {
    const guest = cluster.guest(vmidOf(resource))
    const state = managerState(resource, guest?.runtime.status === 'running')
    return [resource.sid, {node: guest?.node ?? null, state, uid: uidOf(resource.sid)}]
  })
  const nodeStatus = nodes.map(({name, online}) => [name, online ? 'online' : 'unknown'])
  const agents = nodes.map(({name}) => [name, {mode: 'active', state: 'active', results: {}}])
  return {
    manager_status: {
      master_node: masterNode(cluster),
      node_status: Object.fromEntries(nodeStatus) as Row,
      service_status: Object.fromEntries(services),
      timestamp: cluster.nowSeconds(),
    },
    lrm_status: Object.fromEntries(agents) as Row,
    quorum,
  }
}

/** Something that stays the same for a service, of the form that the manager uses. */
const uidOf = (sid: string): string => Buffer.from(sid.padEnd(16, '=')).toString('base64').slice(0, 22)

/** Wed Nov 18 03:04:59 2026 */
function perlTime(ms: number): string {
  const [, weekday, day = '', month, year, time] =
    /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(ms).toUTCString()) ?? []
  return `${weekday ?? ''} ${month ?? ''} ${day.replace(/^0/, ' ')} ${time ?? ''} ${year ?? ''}`
}
