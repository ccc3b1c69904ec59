// The options of the whole datacenter, kept as they read back: property strings taken apart, lists of tags as lists.
import {optionalText, type Call, type Route} from '../call.ts'
import {hasPrivs} from '../access/permissions.ts'
import {methodSchema} from '../schema/api-schema.ts'
import {parsePropertyString} from '../schema/property-string.ts'
import {splitList} from '../schema/split-list.ts'
import {allowedTags} from './allowed-tags.ts'

export const routes: Route[] = [
  {method: 'GET', path: '/cluster/options', handler: readOptions},
  {method: 'PUT', path: '/cluster/options', handler: updateOptions},
]

/** Everybody may see these two. */
const PUBLIC = new Set(['console', 'tag-style'])
const DEFAULTS = {description: '', mac_prefix: 'BC:24:11'}

function readOptions(call: Call): Record<string, unknown> {
  const {options} = call.cluster.state
  const mayAudit = hasPrivs(call, '/', ['Sys.Audit'])
  const visible = Object.entries(options).filter(([name]) => mayAudit || PUBLIC.has(name))
  return {...Object.fromEntries(visible), 'allowed-tags': allowedTags(call)}
}

/** What is set and deleted at once is deleted. */
function updateOptions(call: Call): null {
  const {state} = call.cluster
  const options: Record<string, unknown> = {...state.options}
  for (const [name, value] of Object.entries(call.params)) {
    if (name !== 'delete' && typeof value === 'string') options[name] = asRead(name, value)
  }
  for (const name of splitList(optionalText(call, 'delete') ?? '')) Reflect.deleteProperty(options, name)
  state.options = {...DEFAULTS, ...options}
  return null
}

/** These stay one text, whatever their form. */
const PLAIN = new Set(['bwlimit'])

function asRead(name: string, value: string): unknown {
  if (name === 'description') return value === '' ? '' : `${value.replace(/\n+$/, '')}\n`
  if (name === 'registered-tags') return value.split(';')
  if (name === 'console' && value === 'applet') return 'html5'
  const schema = methodSchema('/cluster/options', 'PUT')?.parameters.properties?.[name]
  if (schema?.type === 'boolean') return Number(value)
  if (typeof schema?.format !== 'object' || PLAIN.has(name)) return value
  const parts: Record<string, unknown> = parsePropertyString(schema.format, value)
  const tags = parts['user-allow-list']
  return typeof tags === 'string' ? {...parts, 'user-allow-list': tags.split(';')} : parts
}
