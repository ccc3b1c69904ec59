// High availability: which guests the manager keeps in which state, and what it says of itself.
import {createHash} from 'node:crypto'
import {flag, optionalText, text, type Call, type Route} from '../call.ts'
import {die} from '../pve-error.ts'
import {splitList} from '../schema/split-list.ts'
import {requestHaAction, requestHaState} from '../ha/request-state.ts'
import {managerStatus, serviceStates} from '../ha/service-states.ts'
import {findResource, parseSid, requireService, type Service} from '../ha/sids.ts'
import {moveService} from '../ha/move-service.ts'
import {requireUnchanged, underFileLock} from '../shared-file.ts'
import {routes as ruleRoutes} from './ha-rules.ts'
import type {Cluster} from '../cluster.ts'
import type {HaResource} from '../state.ts'

type Row = Record<string, unknown>

const resources = '/cluster/ha/resources'
const status = '/cluster/ha/status'

export const routes: Route[] = [
  {method: 'GET', path: '/cluster/ha', handler: () => words('status resources groups rules', 'id')},
  {method: 'GET', path: resources, handler: listResources},
  {method: 'POST', path: resources, handler: addResource},
  {method: 'GET', path: `${resources}/{sid}`, handler: readResource},
  {method: 'PUT', path: `${resources}/{sid}`, handler: updateResource},
  {method: 'DELETE', path: `${resources}/{sid}`, handler: removeResource},
  {method: 'POST', path: `${resources}/{sid}/migrate`, handler: move},
  {method: 'POST', path: `${resources}/{sid}/relocate`, handler: move},
  ...groupRoutes(),
  ...ruleRoutes,
  {method: 'GET', path: status, handler: () => words('current manager_status disarm-ha arm-ha', 'name')},
  {method: 'GET', path: `${status}/current`, handler: (call) => serviceStates(call.cluster)},
  {method: 'GET', path: `${status}/manager_status`, handler: (call) => managerStatus(call.cluster)},
]

function words(text: string, key: string): Row[] {
  return text.split(' ').map((word) => ({[key]: word}))
}

/** Groups have become rules, wherever there never was one. */
function groupRoutes(): Route[] {
  const refuse = (verb: string) => (): never => die(`cannot ${verb}: ha groups have been migrated to rules`)
  const [all, one] = ['/cluster/ha/groups', '/cluster/ha/groups/{group}']
  return [
    {method: 'GET', path: all, handler: refuse('index groups')},
    {method: 'POST', path: all, handler: refuse('create group')},
    {method: 'GET', path: one, handler: refuse('read group')},
    {method: 'PUT', path: one, handler: refuse('update group')},
    {method: 'DELETE', path: one, handler: refuse('delete group')},
  ]
}

function serviceOf(call: Call): Service {
  return parseSid(call.cluster, text(call, 'sid'))
}

function digestOf(cluster: Cluster): string {
  return createHash('sha1').update(JSON.stringify(cluster.state.ha)).digest('hex')
}

function resourceRow(cluster: Cluster, resource: HaResource): Row {
  const {isStateImplied, state, ...rest} = resource
  const type = resource.sid.slice(0, resource.sid.indexOf(':'))
  return {...rest, ...(!isStateImplied && {state}), type, digest: digestOf(cluster)}
}

function listResources(call: Call): Row[] {
  const type = optionalText(call, 'type')
  return call.cluster.state.ha
    .filter((r) => type === undefined || r.sid.startsWith(`${type}:`))
    .map((r) => resourceRow(call.cluster, r))
}

function readResource(call: Call): Row {
  const {sid} = serviceOf(call)
  return resourceRow(call.cluster, findResource(call.cluster, sid) ?? die(`no such resource '${sid}'`))
}

function addResource(call: Call): null {
  const {cluster} = call
  const service = serviceOf(call)
  checkType(call, service)
  if (optionalText(call, 'group') !== undefined) refuseGroup()
  const {kind, vmid} = requireService(cluster, service)
  const resource: HaResource = {sid: service.sid, state: 'started', isStateImplied: true}
  underFileLock('create resource failed', () => {
    if (findResource(cluster, service.sid)) die(`resource ID '${service.sid}' already defined`)
    setOptions(call, resource)
    cluster.state.ha.push(resource)
  })
  const isImplied = resource.isStateImplied
  requestHaState(cluster, kind, vmid, resource.state)
  if (isImplied) resource.isStateImplied = true
  return null
}

function checkType(call: Call, service: Service): void {
  const type = optionalText(call, 'type')
  if (type && type !== service.type) die('types does not match')
}

function refuseGroup(): never {
  die("invalid parameter 'group': ha groups have been migrated to rules")
}

function setOptions(call: Call, resource: HaResource): void {
  const state = optionalText(call, 'state')
  if (state !== undefined) {
    resource.state = state === 'enabled' ? 'started' : state
    delete resource.isStateImplied
  }
  const comment = optionalText(call, 'comment')
  if (comment !== undefined) resource.comment = comment
  for (const name of ['max_relocate', 'max_restart', 'failback'] as const) {
    const value = optionalText(call, name)
    if (value !== undefined) resource[name] = Number(value)
  }
}

const DELETABLE = ['state', 'group', 'comment', 'failback', 'max_relocate', 'max_restart']

function updateResource(call: Call): null {
  const {cluster} = call
  const service = serviceOf(call)
  checkType(call, service)
  if (optionalText(call, 'group')) refuseGroup()
  const resource = underFileLock('update resources config failed', () => {
    requireUnchanged(optionalText(call, 'digest'), digestOf(cluster))
    const found = findResource(cluster, service.sid) ?? die(`no such resource '${service.sid}'`)
    const deleted = splitList(optionalText(call, 'delete') ?? '')
    const unknown = deleted.find((name) => !DELETABLE.includes(name))
    if (unknown !== undefined) die(`no such option '${unknown}'`)
    setOptions(call, found)
    for (const name of deleted) if (name !== 'state') Reflect.deleteProperty(found, name)
    if (deleted.includes('state')) Object.assign(found, {state: 'started', isStateImplied: true})
    return found
  })
  if (optionalText(call, 'state') === undefined) return null
  const {kind, vmid} = requireService(cluster, service)
  requestHaState(cluster, kind, vmid, resource.state)
  return null
}

/** Rules that named nobody else go with it, unless told otherwise. */
function removeResource(call: Call): null {
  const {state} = call.cluster
  const {sid} = serviceOf(call)
  if (!findResource(call.cluster, sid)) die(`cannot delete service '${sid}', not HA managed!`)
  state.ha = state.ha.filter((r) => r.sid !== sid)
  if (optionalText(call, 'purge') !== undefined && !flag(call, 'purge')) return null
  state.haRules = state.haRules.filter(({options}) => {
    const others = splitList(options['resources'] ?? '').filter((other) => other !== sid)
    options['resources'] = others.join(',')
    return others.length > 0
  })
  return null
}

/** Migrating and relocating differ only in whether the guest may go on running meanwhile. */
function move(call: Call): Row {
  const {cluster} = call
  const service = serviceOf(call)
  const node = text(call, 'node')
  const resource = findResource(cluster, service.sid)
  if (!resource || resource.state === 'ignored') die(`resource '${service.sid}' is not HA managed`)
  const {vmid} = requireService(cluster, service)
  requestHaAction(cluster, () => {
    moveService(cluster, vmid, node)
  })
  return {sid: service.sid, 'requested-node': node}
}
