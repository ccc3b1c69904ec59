// The grammar of a property string (`name=eth0,bridge=vmbr0`): its parts, as Proxmox's schema spells them.

export interface PropertyPart {
  readonly type: 'boolean' | 'integer' | 'number' | 'string'
  /** Absent: Proxmox refuses a value without this part. */
  readonly optional?: 1 | boolean
  /** The part that may be written without its name, first. */
  readonly default_key?: 1 | boolean
  readonly default?: string | number | null
  readonly enum?: readonly string[]
  /** A JavaScript pattern (the generator translates Perl's) that the whole value must fit. */
  readonly pattern?: string
  /** Name of a grammar: `mac-addr`, `disk-size`, `pve-ipv4-config`, … */
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  /** The part is a list, joined by this character. */
  readonly separator?: string
  readonly unit?: 'MiB' | 'bytes'
  /** This part makes no sense without that one. */
  readonly requires?: string
}

/** Another name of a part. With `keyAlias` the name itself is the value of that part: `virtio=MAC`. */
export interface PropertyAlias {
  readonly alias: string
  readonly keyAlias?: string
}

export type PropertyFormat = Readonly<Record<string, PropertyPart | PropertyAlias>>

/** What a format says, arranged for use. */
export interface FormatIndex {
  /** Canonical parts by name, in the order in which Proxmox prints them. */
  readonly parts: ReadonlyMap<string, PropertyPart>
  readonly aliases: ReadonlyMap<string, PropertyAlias>
  /** What a part may be called: their own names, then the others. */
  readonly names: readonly string[]
  /** Their own names, for people. */
  readonly list: string
  readonly defaultKey: string | undefined
  /** `model` → `macaddr`: parts that are printed together as `value=value`. */
  readonly combined: ReadonlyMap<string, string>
}

const indexes = new WeakMap<PropertyFormat, FormatIndex>()

export function indexFormat(format: PropertyFormat): FormatIndex {
  const known = indexes.get(format)
  if (known) return known
  const parts = new Map<string, PropertyPart>()
  const aliases = new Map<string, PropertyAlias>()
  const combined = new Map<string, string>()
  for (const [name, entry] of Object.entries(format)) {
    if (!('alias' in entry)) parts.set(name, entry)
    else {
      aliases.set(name, entry)
      if (entry.keyAlias !== undefined) combined.set(entry.keyAlias, entry.alias)
    }
  }
  const ordered = new Map([...parts].sort(byPrintOrder))
  const defaultKey = [...ordered].find(([, part]) => part.default_key)?.[0]
  const names = [...ordered.keys(), ...aliases.keys()]
  const list = [...ordered.keys()].join(', ')
  const index = {parts: ordered, aliases, names, list, defaultKey, combined}
  indexes.set(format, index)
  return index
}

/** The default key, then what must be there, then the rest; each by name. */
function byPrintOrder([a, one]: [string, PropertyPart], [b, two]: [string, PropertyPart]): number {
  const rank = (part: PropertyPart): number => (part.default_key ? 0 : part.optional ? 2 : 1)
  return rank(one) - rank(two) || (a < b ? -1 : 1)
}
