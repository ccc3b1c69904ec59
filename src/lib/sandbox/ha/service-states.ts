// The HA manager's account of itself: quorum, master, the agents of the nodes, and every service.
import type {Cluster} from '../cluster.ts'
import type {HaResource} from '../state.ts'

type Row = Record<string, unknown>

export function serviceStates(cluster: Cluster): Row[] {
  const {localNode, quorate, ha} = cluster.state
  const quorum = {
    id: 'quorum',
    type: 'quorum',
    node: localNode,
    status: quorate ? 'OK' : `No quorum on node '${localNode}'!`,
    quorate: quorate ? 1 : 0,
  }
  if (ha.length === 0) return [quorum]
  return [quorum, ...managers(cluster), ...ha.map((resource) => serviceRow(cluster, resource))]
}

function managers(cluster: Cluster): Row[] {
  const timestamp = cluster.nowSeconds()
  const time = perlTime(cluster.clock.now())
  const online = cluster.state.nodes.filter((n) => n.online)
  const master = online[0]?.name ?? cluster.state.localNode
  const busy = new Set(cluster.state.ha.map((r) => cluster.guest(vmidOf(r))?.node))
  const agents = cluster.state.nodes.map(({name, online: isOnline}) => {
    const state = isOnline ? (busy.has(name) ? 'active' : 'idle') : 'old timestamp - dead?'
    return {id: `lrm:${name}`, type: 'lrm', node: name, status: `${name} (${state}, ${time})`, timestamp}
  })
  const status = `${master} (active, ${time})`
  return [{id: 'master', type: 'master', node: master, status, timestamp}, ...agents]
}

const vmidOf = (resource: HaResource): number => Number(resource.sid.slice(resource.sid.indexOf(':') + 1))

/** While the guest is not yet where it should be, the service is on its way. */
function serviceRow(cluster: Cluster, resource: HaResource): Row {
  const {sid, state: wanted, max_restart, max_relocate, comment} = resource
  const guest = cluster.guest(vmidOf(resource))
  const node = guest?.node ?? '---'
  const state = currentState(wanted, guest?.runtime.status === 'running')
  return {
    id: `service:${sid}`,
    type: 'service',
    sid,
    node,
    crm_state: state === 'starting' ? 'started' : state === 'stopping' ? 'request_stop' : state,
    state,
    status: `${sid} (${node}, ${state})`,
    request_state: wanted,
    max_restart: max_restart ?? 1,
    max_relocate: max_relocate ?? 1,
    ...(comment !== undefined && {comment}),
  }
}

function currentState(wanted: string, isRunning: boolean): string {
  if (wanted === 'started') return isRunning ? 'started' : 'starting'
  if (wanted === 'stopped' || wanted === 'disabled') return isRunning ? 'stopping' : wanted
  return wanted
}

/** Wed Nov 18 03:04:59 2026 */
function perlTime(ms: number): string {
  const [, weekday, day = '', month, year, time] =
    /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(ms).toUTCString()) ?? []
  return `${weekday ?? ''} ${month ?? ''} ${day.replace(/^0/, ' ')} ${time ?? ''} ${year ?? ''}`
}
