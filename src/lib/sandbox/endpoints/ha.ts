// High availability: which guests the manager keeps in which state, and what it says of itself.
import {createHash} from 'node:crypto'
import {optionalText, text, type Call, type Route} from '../call.ts'
import {die} from '../pve-error.ts'
import {requestHaState} from '../ha/request-state.ts'
import {serviceStates} from '../ha/service-states.ts'
import type {Cluster} from '../cluster.ts'
import type {HaResource, Kind} from '../state.ts'

const folders = ['status', 'resources', 'groups', 'rules']

export const routes: Route[] = [
  {method: 'GET', path: '/cluster/ha', handler: () => folders.map((id) => ({id}))},
  {method: 'GET', path: '/cluster/ha/resources', handler: listResources},
  {method: 'POST', path: '/cluster/ha/resources', handler: addResource},
  {
    method: 'GET',
    path: '/cluster/ha/resources/{sid}',
    handler: (call) => resourceRow(call.cluster, find(call)),
  },
  {method: 'PUT', path: '/cluster/ha/resources/{sid}', handler: updateResource},
  {method: 'DELETE', path: '/cluster/ha/resources/{sid}', handler: removeResource},
  {method: 'GET', path: '/cluster/ha/groups', handler: () => []},
  {method: 'GET', path: '/cluster/ha/rules', handler: () => []},
  {method: 'GET', path: '/cluster/ha/status', handler: () => [{name: 'current'}, {name: 'manager_status'}]},
  {method: 'GET', path: '/cluster/ha/status/current', handler: (call) => serviceStates(call.cluster)},
]

interface Service {
  sid: string
  kind: Kind
  vmid: number
}

/** `ct:101`, `vm:200`, or a bare vmid, whose kind the cluster knows. */
function parseSid(call: Call): Service {
  const given = text(call, 'sid')
  const bare = /^\d+$/.test(given)
  const owner = bare ? call.cluster.guest(Number(given)) : undefined
  if (bare && !owner) die(`unable to parse service id '${given}'`)
  const sid = owner ? `${owner.kind === 'lxc' ? 'ct' : 'vm'}:${given}` : given
  const [, type, name = ''] = /^(ct|vm):(\S+)$/.exec(sid) ?? []
  if (type === undefined) die(`unable to parse service id '${given}'`)
  if (!/^[1-9][0-9]+$/.test(name)) die('invalid VMID')
  return {sid, kind: type === 'ct' ? 'lxc' : 'qemu', vmid: Number(name)}
}

function find(call: Call): HaResource {
  const {sid} = parseSid(call)
  return call.cluster.state.ha.find((r) => r.sid === sid) ?? die(`no such resource '${sid}'`)
}

function digestOf(cluster: Cluster): string {
  return createHash('sha1').update(JSON.stringify(cluster.state.ha)).digest('hex')
}

function resourceRow(cluster: Cluster, resource: HaResource): Record<string, unknown> {
  const type = resource.sid.slice(0, resource.sid.indexOf(':'))
  return {...resource, type, digest: digestOf(cluster)}
}

function listResources(call: Call): unknown[] {
  const type = optionalText(call, 'type')
  return call.cluster.state.ha
    .filter((r) => type === undefined || r.sid.startsWith(`${type}:`))
    .map((r) => resourceRow(call.cluster, r))
}

function addResource(call: Call): null {
  const service = parseSid(call)
  const {sid, kind, vmid} = service
  const type = optionalText(call, 'type')
  if (type && !sid.startsWith(`${type}:`)) die('types does not match')
  refuseGroup(call)
  const guest = call.cluster.guest(vmid) ?? die(`resource '${sid}' does not exist in cluster`)
  if (guest.kind !== kind) {
    const wanted = kind === 'lxc' ? 'container' : 'VM'
    die(`resource '${sid}' - guest with ID ${String(vmid)} is not a ${wanted}`)
  }
  const {ha} = call.cluster.state
  if (ha.some((r) => r.sid === sid)) die(`create resource failed: resource ID '${sid}' already defined`)
  const resource: HaResource = {sid, state: 'started'}
  ha.push(resource)
  setOptions(call, resource)
  requestHaState(call.cluster, service.kind, service.vmid, resource.state)
  return null
}

function refuseGroup(call: Call): void {
  if (optionalText(call, 'group')) die("invalid parameter 'group': ha groups have been migrated to rules")
}

function setOptions(call: Call, resource: HaResource): void {
  const state = optionalText(call, 'state')
  if (state !== undefined) resource.state = state === 'enabled' ? 'started' : state
  const comment = optionalText(call, 'comment')
  if (comment !== undefined) resource.comment = comment
  for (const name of ['max_relocate', 'max_restart'] as const) {
    const value = optionalText(call, name)
    if (value !== undefined) resource[name] = Number(value)
  }
}

const deletable = ['comment', 'group', 'max_relocate', 'max_restart'] as const

function updateResource(call: Call): null {
  const service = parseSid(call)
  refuseGroup(call)
  const {sid} = service
  const digest = optionalText(call, 'digest')
  const resource = call.cluster.state.ha.find((r) => r.sid === sid) ?? die(`no such resource ID '${sid}'`)
  if (digest && digest !== digestOf(call.cluster))
    die('detected modified configuration - file changed by other user? Try again.')
  for (const name of deletable) {
    if ((optionalText(call, 'delete') ?? '').split(/[,;\s]+/).includes(name))
      Reflect.deleteProperty(resource, name)
  }
  setOptions(call, resource)
  if (optionalText(call, 'state') !== undefined)
    requestHaState(call.cluster, service.kind, service.vmid, resource.state)
  return null
}

function removeResource(call: Call): null {
  const {sid} = parseSid(call)
  const {state} = call.cluster
  if (!state.ha.some((r) => r.sid === sid)) die(`cannot delete service '${sid}', not HA managed!`)
  state.ha = state.ha.filter((r) => r.sid !== sid)
  return null
}
