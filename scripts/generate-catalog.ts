// Writes src/lib/catalog/data/options.json: every option of a guest with what Proxmox's schema, the recorded
// facts and the reviewed notes say about it, without prose. With --check it only compares, for the drift
// check of `npm test`.
import {readFileSync, writeFileSync} from 'node:fs'
import type {OptionData, OptionsData} from '../src/lib/catalog/option-data.ts'
import type {PropertyFormat, PropertyPart} from '../src/lib/catalog/property-format.ts'
import {GUEST_KINDS, type GuestKind} from '../src/lib/model/guest.ts'
import {NAMED_FORMATS} from './named-formats.ts'
import {INDEX_COUNTS, OPTION_NOTES, PARAMETERS, PART_NOTES} from './option-notes.ts'

interface SchemaNode extends Record<string, unknown> {
  type?: string
  format?: string | Record<string, SchemaNode>
  pattern?: string
  default?: unknown
}

interface ObservedOption {
  kind: GuestKind
  schemaOption: string
  privilege: string
  rootOnly: boolean | 'some values'
  runningEffectWhenChanged: {live?: number; pending?: number}
}

const fixtures = new URL('../test/fixtures/pve/', import.meta.url)
const target = new URL('../src/lib/catalog/data/options.json', import.meta.url)
const schema = readJson('api-schema.json') as {
  paths: Record<string, Record<string, {parameters: {properties: Record<string, SchemaNode>}}>>
}
const facts = readJson('option-facts.json') as {options: ObservedOption[]}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, fixtures), 'utf8'))
}

const KEPT = ['type', 'minimum', 'maximum', 'minLength', 'maxLength', 'enum', 'requires'] as const

/** Proxmox's patterns are Perl's: `(?^:` is a group with the flags reset, `{,8}` counts from nothing. */
function translatePattern(pattern: string): string {
  return pattern.replaceAll('(?^:', '(?:').replaceAll('{,', '{0,')
}

function limitsOf(node: SchemaNode): Record<string, unknown> {
  const limits: Record<string, unknown> = {}
  for (const key of KEPT) if (node[key] !== undefined) limits[key] = node[key]
  if (node.pattern !== undefined) limits['pattern'] = translatePattern(node.pattern)
  // Defaults in words are not values.
  const {default: value} = node
  if (typeof value === 'number' || (typeof value === 'string' && !value.includes(' '))) {
    limits['default'] = value
  }
  return limits
}

function partOf(name: string, node: SchemaNode): PropertyFormat[string] {
  if (node['alias'] !== undefined) {
    const {alias, keyAlias} = node as {alias?: unknown; keyAlias?: unknown}
    return {alias, ...(keyAlias === undefined ? {} : {keyAlias})} as PropertyFormat[string]
  }
  const part = limitsOf(node)
  for (const key of ['format', 'optional', 'default_key', 'separator'])
    if (node[key] !== undefined) part[key] = node[key]
  if (node.format === 'disk-size') part['unit'] = 'bytes'
  return {...part, ...PART_NOTES[name]} as unknown as PropertyPart
}

function formatOf(parts: Record<string, SchemaNode>): PropertyFormat {
  return Object.fromEntries(Object.entries(parts).map(([name, node]) => [name, partOf(name, node)]))
}

function grammarOf(
  family: string,
  node: SchemaNode,
  siblings: Record<string, SchemaNode>,
): Partial<OptionData> {
  if (node.format === undefined) return {}
  if (typeof node.format === 'object') return {format: formatOf(node.format)}
  if (node.format === 'pve-qm-ide') return grammarOf(family, siblings['ide[n]'] ?? {}, siblings)
  const known = NAMED_FORMATS[node.format]
  if (known) return {format: formatOf(known as unknown as Record<string, SchemaNode>)}
  return node.format.endsWith('-list')
    ? {listFormat: node.format.slice(0, -'-list'.length)}
    : {textFormat: node.format}
}

function observe(kind: GuestKind, family: string): Partial<OptionData> {
  const observed = facts.options.filter((o) => o.kind === kind && o.schemaOption === family)
  const [first] = observed
  if (!first) throw new Error(`no facts about ${kind} ${family}`)
  const effects = new Set(observed.flatMap((o) => Object.keys(o.runningEffectWhenChanged)))
  const impact = effects.size === 2 ? 'mixed' : effects.has('live') ? 'live' : 'restart'
  const rootOnly =
    first.privilege === 'root@pam only' ? true : first.rootOnly === 'some values' ? 'some' : false
  const privilege = /^VM\.\w+(?:\.\w+)?(?: \| VM\.\w+\.\w+)?/.exec(first.privilege)?.[0].replaceAll(' ', '')
  return {impact, ...(rootOnly === false ? {} : {rootOnly}), ...(privilege === undefined ? {} : {privilege})}
}

function describeOption(
  kind: GuestKind,
  family: string,
  node: SchemaNode,
  siblings: Record<string, SchemaNode>,
): OptionData {
  const count = family.endsWith('[n]') ? INDEX_COUNTS[family.slice(0, -'[n]'.length)] : undefined
  if (family.endsWith('[n]') && count === undefined) throw new Error(`how many ${family}?`)
  return {
    family,
    ...(count === undefined ? {} : {count}),
    ...limitsOf(node),
    ...grammarOf(family, node, siblings),
    ...observe(kind, family),
    ...OPTION_NOTES[kind][family],
  } as OptionData
}

function propertiesOf(path: string, method: string): Record<string, SchemaNode> {
  return schema.paths[path]?.[method]?.parameters.properties ?? {}
}

function generate(): OptionsData {
  const data: Partial<Record<GuestKind, OptionData[]>> = {}
  for (const kind of GUEST_KINDS) {
    const properties = propertiesOf(`/nodes/{node}/${kind}/{vmid}/config`, 'PUT')
    const families = Object.keys(properties).filter((name) => !PARAMETERS.has(name))
    data[kind] = families.map((name) => describeOption(kind, name, properties[name] ?? {}, properties))
  }
  return data as OptionsData
}

const text = `${JSON.stringify(generate())}\n`
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('src/lib/catalog/data/options.json is out of date: npm run generate')
    process.exitCode = 1
  }
} else writeFileSync(target, text)
