// What a value or a part of it is when it is not written. A default is only here if leaving it out really means
// the same as writing it: some of the schema's defaults hold at creation alone, and some that hold it omits.
import type {Option} from './option.ts'
import type {PropertyPart} from './property-format.ts'

/** Without it the guest does not start; with it, it does. */
const NO_DEFAULT: ReadonlySet<string> = new Set(['lxc:arch', 'qemu:vmgenid'])

/** Its presence alone has an effect, whatever its parts say. */
const PRESENCE_COUNTS: ReadonlySet<string> = new Set(['qemu:watchdog'])

/** Not in the schema, or there with another meaning. undefined: there is none. */
const PART_DEFAULTS: ReadonlyMap<string, string | undefined> = new Map([
  ['lxc:acl', undefined],
  ['lxc:type', 'veth'],
  ['qemu:backup', '1'],
  ['qemu:detect_zeroes', '1'],
  ['qemu:discard', 'ignore'],
  ['qemu:enable-s3', undefined],
  ['qemu:enable-s4', undefined],
  ['qemu:ip', undefined],
  ['qemu:ip6', undefined],
])

export function optionDefault(option: Option): string | undefined {
  if (NO_DEFAULT.has(`${option.kind}:${option.name}`)) return undefined
  if (option.default === undefined) return option.name === 'freeze' ? '0' : undefined
  return String(option.default)
}

export function presenceCounts(option: Option): boolean {
  return PRESENCE_COUNTS.has(`${option.kind}:${option.name}`)
}

export function partDefault(option: Option, name: string, part: PropertyPart): string | undefined {
  const key = `${option.kind}:${name}`
  if (PART_DEFAULTS.has(key)) return PART_DEFAULTS.get(key)
  if (part.default !== undefined && part.default !== null) return String(part.default)
  return part.type === 'boolean' ? '0' : undefined
}
