// The options of a machine's config file as the recorded schema describes them: which exist, of which type, and
// in which property-string format. Numbered options share one schema, `net[n]`.
import {methodSchema, type ObjectFormat, type Schema} from '../../schema/api-schema.ts'
import {optionCount, splitIndexed} from '../../schema/option-ranges.ts'

const CONFIG_PATH = '/nodes/{node}/qemu/{vmid}/config'

/** Known to the answer of GET config, not options of the file. */
const NOT_OPTIONS = new Set(['digest', 'node', 'vmid', 'delete', 'revert', 'force', 'skiplock'])

function propertiesOf(schema: unknown): Record<string, Schema> {
  return (schema as Schema | undefined)?.properties ?? {}
}

const stored = propertiesOf(methodSchema(CONFIG_PATH, 'GET')?.returns)
const writable = propertiesOf(methodSchema(CONFIG_PATH, 'PUT')?.parameters)

function lookUp(properties: Record<string, Schema>, option: string): Schema | undefined {
  if (NOT_OPTIONS.has(option)) return undefined
  const own = Object.hasOwn(properties, option) ? properties[option] : undefined
  if (own) return own
  const indexed = splitIndexed(option)
  if (!indexed || indexed.index >= optionCount(indexed.name)) return undefined
  return properties[`${indexed.name}[n]`]
}

/** Only what exists is remembered: callers may ask for any name. */
const byOption = new Map<string, Schema>()

/** The schema of an option of the config file; undefined where Proxmox knows no such option. */
export function optionSchema(option: string): Schema | undefined {
  const known = byOption.get(option)
  if (known) return known
  const found = lookUp(writable, option) ?? lookUp(stored, option)
  if (found) byOption.set(option, found)
  return found
}

export const optionExists = (option: string): boolean => optionSchema(option) !== undefined

/** The property-string format of an option, for parsing and printing. */
export function optionFormat(option: string): string | ObjectFormat {
  const format = optionSchema(option)?.format
  if (format === undefined) throw new Error(`option ${option} has no format`)
  return format
}

/** A stored text as the API answers it: integers and booleans are numbers, everything else is text. */
export function typedValue(option: string, text: string): string | number {
  const type = optionSchema(option)?.type
  return type === 'integer' || type === 'boolean' ? Number(text) : text
}
