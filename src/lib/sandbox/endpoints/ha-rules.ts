// Rules of the HA manager: on which nodes services shall run, and which of them together or apart.
import {createHash} from 'node:crypto'
import {flag, optionalText, text, type Call, type Route} from '../call.ts'
import {PveError, die} from '../pve-error.ts'
import {splitList} from '../schema/split-list.ts'
import {findResource} from '../ha/sids.ts'
import {requireUnchanged, underFileLock} from '../shared-file.ts'
import type {Cluster} from '../cluster.ts'
import type {HaRule} from '../state.ts'

const path = '/cluster/ha/rules'

export const routes: Route[] = [
  {method: 'GET', path, handler: listRules},
  {method: 'POST', path, handler: createRule},
  {method: 'GET', path: `${path}/{rule}`, handler: readRule},
  {method: 'PUT', path: `${path}/{rule}`, handler: updateRule},
  {method: 'DELETE', path: `${path}/{rule}`, handler: deleteRule},
]

type Options = HaRule['options']

const REQUIRED: Record<string, readonly string[]> = {
  'node-affinity': ['resources', 'nodes'],
  'resource-affinity': ['resources', 'affinity'],
}
const OPTIONAL: Record<string, readonly string[]> = {
  'node-affinity': ['strict', 'disable', 'comment'],
  'resource-affinity': ['disable', 'comment'],
}

function digestOf(cluster: Cluster): string {
  return createHash('sha1').update(JSON.stringify(cluster.state.haRules)).digest('hex')
}

function find(cluster: Cluster, rule: string): HaRule | undefined {
  return cluster.state.haRules.find((r) => r.rule === rule)
}

function ruleRow(cluster: Cluster, {rule, type, options}: HaRule): Record<string, unknown> {
  const order = cluster.state.haRules.findIndex((r) => r.rule === rule) + 1
  const row: Record<string, unknown> = {rule, type, order, digest: digestOf(cluster), ...options}
  for (const name of ['strict', 'disable']) if (row[name] !== undefined) row[name] = Number(row[name])
  const errors = problemsOf(cluster, {rule, type, options})
  return Object.keys(errors).length > 0 ? {...row, errors} : row
}

function listRules(call: Call): unknown[] {
  const type = optionalText(call, 'type')
  const resource = optionalText(call, 'resource')
  return call.cluster.state.haRules
    .filter((r) => type === undefined || r.type === type)
    .filter((r) => !resource || splitList(r.options['resources'] ?? '').includes(resource))
    .map((r) => ruleRow(call.cluster, r))
}

function readRule(call: Call): unknown {
  const {cluster} = call
  return ruleRow(cluster, find(cluster, text(call, 'rule')) ?? die(`no such ha rule '${text(call, 'rule')}'`))
}

/** The options as they are stored: lists sorted, a disabling only where it disables. */
function optionsOf(call: Call, type: string): Options {
  const options: Options = {}
  for (const [name, value] of Object.entries(call.params)) {
    if (['rule', 'type', 'digest', 'delete'].includes(name) || typeof value !== 'string') continue
    if (![...(REQUIRED[type] ?? []), ...(OPTIONAL[type] ?? [])].includes(name)) {
      die(`unexpected property '${name}'`)
    }
    options[name] = name === 'resources' || name === 'nodes' ? sortedList(value) : value
  }
  if (!flag(call, 'disable')) delete options['disable']
  return options
}

const sortedList = (list: string): string => [...new Set(splitList(list))].sort().join(',')

function createRule(call: Call): null {
  const {cluster} = call
  const [rule, type] = [text(call, 'rule'), text(call, 'type')]
  const options = optionsOf(call, type)
  const missing = REQUIRED[type]?.find((name) => options[name] === undefined)
  if (missing !== undefined) die(`missing value for required option '${missing}'`)
  underFileLock('create ha rule failed', () => {
    if (find(cluster, rule)) die(`HA rule '${rule}' already defined`)
    checkNames(cluster, options)
    const added = {rule, type, options}
    requireFeasible(cluster, added)
    cluster.state.haRules.push(added)
  })
  return null
}

function updateRule(call: Call): null {
  const {cluster} = call
  underFileLock('update HA rules failed', () => {
    requireUnchanged(optionalText(call, 'digest'), digestOf(cluster))
    const rule = find(cluster, text(call, 'rule')) ?? die(`HA rule '${text(call, 'rule')}' does not exist`)
    const given = optionsOf(call, rule.type)
    checkNames(cluster, given)
    const options = {...rule.options, ...given}
    for (const name of splitList(optionalText(call, 'delete') ?? '')) {
      checkDeletion(rule.type, name, given)
      Reflect.deleteProperty(options, name)
    }
    requireFeasible(cluster, {...rule, options})
    rule.options = options
  })
  return null
}

function checkDeletion(type: string, name: string, given: Options): void {
  if (REQUIRED[type]?.includes(name)) die(`unable to delete required option '${name}'`)
  if (!OPTIONAL[type]?.includes(name)) die(`no such option '${name}'`)
  if (given[name] !== undefined) die(`cannot set and delete property '${name}' at the same time!`)
}

/** Resources must be managed, nodes must be there. */
function checkNames(cluster: Cluster, {resources, nodes}: Options): void {
  const unmanaged = splitList(resources ?? '').filter((sid) => !findResource(cluster, sid))
  if (unmanaged.length > 0) die(`cannot use unmanaged resource(s) ${unmanaged.join(', ')}.`)
  const names = splitList(nodes ?? '').map((node) => node.replace(/:\d+$/, ''))
  const missing = names.filter((name) => !cluster.node(name))
  if (missing.length > 0) die(`cannot use non-existent node(s) ${missing.join(', ')}.`)
}

function requireFeasible(cluster: Cluster, rule: HaRule): void {
  const problems = problemsOf(cluster, rule)
  if (Object.keys(problems).length === 0) return
  const texts = Object.entries(problems).map(([name, list]) => [name, list.join(', ')])
  throw new PveError(400, `Rule '${rule.rule}' is invalid.\n`, Object.fromEntries(texts) as Options)
}

/** Option → what makes the rule useless beside the others. */
function problemsOf(cluster: Cluster, {rule, type, options}: HaRule): Record<string, string[]> {
  if (options['disable'] === '1') return {}
  const resources = splitList(options['resources'] ?? '')
  if (type === 'resource-affinity') {
    const isAlone = resources.length < 2
    return isAlone ? {resources: ['rule is ineffective as there are less than two resources']} : {}
  }
  const others = cluster.state.haRules.filter(
    (r) => r.rule !== rule && r.type === type && r.options['disable'] !== '1',
  )
  const taken = new Set(others.flatMap((r) => splitList(r.options['resources'] ?? '')))
  const twice = resources
    .filter((sid) => taken.has(sid))
    .map((sid) => `resource '${sid}' is already used in another node affinity rule`)
  return twice.length > 0 ? {resources: twice} : {}
}

/** A rule that is not there is gone already. */
function deleteRule(call: Call): null {
  const {state} = call.cluster
  state.haRules = state.haRules.filter((r) => r.rule !== text(call, 'rule'))
  return null
}
