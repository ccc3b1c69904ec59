// One option of the catalog as JSON Schema, with a few generated words for whoever points at it.
import {generatedParts} from '../../catalog/generated-parts.ts'
import type {Option} from '../../catalog/option.ts'
import {indexFormat, type PropertyFormat, type PropertyPart} from '../../catalog/property-format.ts'
import {showValue} from '../../catalog/show-value.ts'
import {allowNull, describeValue, type JsonSchema} from './describe-schema-value.ts'

export const SECRET: JsonSchema = {
  description: 'Where the secret is kept; never the secret itself.',
  type: 'object',
  properties: {fromFile: {type: 'string', minLength: 1}, fromEnv: {type: 'string', minLength: 1}},
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
}

export function describeOptionSchema(option: Option): JsonSchema {
  if (option.isRemovalOnly)
    return {description: 'A detached volume: null removes it with its data.', type: 'null'}
  const schema = describeWritten(option)
  const isRemovable = option.name !== 'rootfs'
  return {description: describeInWords(option), ...(isRemovable ? allowNull(schema) : schema)}
}

function describeWritten(option: Option): JsonSchema {
  if (!option.isComparable) return SECRET
  if (option.name === 'sshkeys') return {type: ['string', 'array'], items: {type: 'string'}}
  const {format, textFormat, ...limits} = option
  if (format) return describeProperties(option, format)
  const schema = describeValue({...limits, ...(textFormat && {format: textFormat})}, false)
  return option.name === 'hotplug' ? {...schema, type: ['boolean', ...[schema['type']].flat()]} : schema
}

/** A map of its parts, Proxmox's own text, or the part that needs no name. */
function describeProperties(option: Option, format: PropertyFormat): JsonSchema {
  const {parts, aliases, defaultKey} = indexFormat(format)
  const entries = [...parts].map(([name, part]) => [name, describePart(option, name, part)] as const)
  const others = [...aliases].flatMap(([name, {alias, keyAlias}]) => {
    const part = parts.get(alias)
    if (!part) return []
    const description =
      keyAlias === undefined ? `Another name for ${alias}.` : `${keyAlias} and ${alias} in one.`
    return [[name, {description, ...describeValue(part, false)}] as const]
  })
  const bare = defaultKey === undefined ? undefined : parts.get(defaultKey)
  const isList = bare?.separator !== undefined || 'order' in format
  return {
    type: ['object', 'string', ...bareTypes(bare), ...(isList ? ['array'] : [])],
    properties: Object.fromEntries([...entries, ...others]),
    additionalProperties: false,
    minProperties: 1,
    ...(isList && {items: {type: ['string', 'integer']}}),
    ...(parts.size === 1 && bare && defaultKey !== undefined && describeOnlyPart(bare, defaultKey)),
  }
}

function describePart(option: Option, name: string, part: PropertyPart): JsonSchema {
  const isRemovable = Boolean(part.optional) && !generatedParts(option).includes(name)
  return describeValue(part, isRemovable)
}

function bareTypes(part: PropertyPart | undefined): string[] {
  if (!part) return []
  return part.type === 'boolean' ? ['boolean', 'integer'] : [part.type === 'number' ? 'number' : 'integer']
}

/** With one part alone the text is that part, so its limits hold for the text too. */
function describeOnlyPart(part: PropertyPart, name: string): JsonSchema {
  const {minimum, maximum, pattern, patternErrorMessage} = describeValue(part, false)
  return {
    ...(minimum !== undefined && {minimum}),
    ...(maximum !== undefined && {maximum}),
    ...(typeof pattern === 'string' && {pattern: pattern.replace(/^\^/, `^(?:${name}=)?`)}),
    ...(patternErrorMessage !== undefined && {patternErrorMessage}),
  }
}

const IMPACT_WORDS: Readonly<Record<Option['impact'], string>> = {
  live: 'Takes effect at once.',
  restart: 'Takes effect with the next start.',
  mixed: 'Some changes take effect at once, others with the next start.',
}

function describeInWords(option: Option): string {
  const standard = option.default === undefined ? undefined : showValue(option, String(option.default))
  return [
    ...(option.hint === undefined ? [] : [`Another name for ${option.aliasOf ?? ''}: ${option.hint}.`]),
    ...(option.unit === 'MiB' ? ['A size such as 2GiB, or a number of MiB.'] : []),
    ...(standard === undefined ? [] : [`Default: ${standard}.`]),
    IMPACT_WORDS[option.impact],
    ...describeRights(option),
    ...(option.gate === 'destructive' ? ['A change that can lose data needs a signature.'] : []),
  ].join(' ')
}

function describeRights({privilege, rootOnly}: Option): string[] {
  if (rootOnly === true) return ['Only root@pam itself may set it.']
  return [
    ...(privilege === '' ? [] : [`Needs ${privilege.replaceAll('|', ' or ')}.`]),
    ...(rootOnly === 'some' ? ['Some values only root@pam itself may set.'] : []),
  ]
}
