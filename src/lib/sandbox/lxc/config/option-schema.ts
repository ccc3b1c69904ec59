// The options of a container's config: which exist and what types they have.
import {methodSchema, type ObjectFormat, type Schema} from '../../schema/api-schema.ts'
import {optionCount, splitIndexed} from '../../schema/option-ranges.ts'

const NOT_OPTIONS = new Set(['node', 'vmid', 'delete', 'revert', 'digest'])
const INTERNAL: Record<string, Schema> = {parent: {type: 'string'}, snaptime: {type: 'integer'}}

const properties: Record<string, Schema> = {
  ...methodSchema('/nodes/{node}/lxc/{vmid}/config', 'PUT')?.parameters.properties,
  ...INTERNAL,
}

/** The schema of an option, `mp3` by that of `mp[n]`. */
export function optionSchema(name: string): Schema | undefined {
  if (NOT_OPTIONS.has(name)) return undefined
  if (Object.hasOwn(properties, name)) return properties[name]
  const parts = splitIndexed(name)
  return parts && parts.index < optionCount(parts.name) ? properties[`${parts.name}[n]`] : undefined
}

/** The keys of an option that is a property string. */
export function optionFormat(name: string): ObjectFormat {
  const format = optionSchema(name)?.format
  if (typeof format !== 'object') throw new Error(`${name} is no property string`)
  return format
}

/** A stored text as the API answers it: switches and whole numbers as numbers, all else as text. */
export function typedOption(name: string, text: string): unknown {
  const type = optionSchema(name)?.type
  if (type === 'boolean') return text === '1' || text === '0' ? Number(text) : text
  return type === 'integer' && /^\d+$/.test(text) ? Number(text) : text
}
