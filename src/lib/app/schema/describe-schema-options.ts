// All options of a kind as JSON Schema: `config` and `disks`. Editors propose only names that are spelt out, so
// the first of a numbered family are; the others are recognised by a pattern.
import {listFamilies, type Option} from '../../catalog/option.ts'
import type {GuestKind} from '../../model/guest.ts'
import {describeOptionSchema} from './describe-schema-option.ts'
import type {JsonSchema} from './describe-schema-value.ts'

const SPELT_OUT = 4

const writable = (kind: GuestKind): readonly Option[] =>
  listFamilies(kind).filter(
    ({isReadOnly, isRemovalOnly, isCreateOnly}) => (!isReadOnly || isRemovalOnly) && !isCreateOnly,
  )

/** `lxc-net`: the definition that every `net0` refers to. `numa` and `numa0` are two. */
const definitionName = ({kind, family}: Option): string => `${kind}-${family.replace('[n]', '-n')}`

export function describeDefinitions(kind: GuestKind): Record<string, JsonSchema> {
  return Object.fromEntries(
    writable(kind).map((option) => [definitionName(option), describeOptionSchema(option)]),
  )
}

export function describeOptions(kind: GuestKind, where: 'config' | 'disks'): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  const patternProperties: Record<string, JsonSchema> = {}
  for (const option of writable(kind).filter(({isDisk}) => isDisk === (where === 'disks'))) {
    const reference = {$ref: `#/definitions/${definitionName(option)}`}
    const {family, count} = option
    if (count === undefined) properties[family] = reference
    else {
      const stem = family.replace('[n]', '')
      for (let i = 0; i < Math.min(count, SPELT_OUT); i++) properties[`${stem}${i}`] = reference
      if (count > SPELT_OUT) patternProperties[`^${stem}${numbers(SPELT_OUT, count - 1)}$`] = reference
    }
  }
  return {
    description:
      where === 'config' ? `Options of ${kind}, by Proxmox's own names.` : 'Volumes. A size only ever grows.',
    type: ['object', 'null'],
    properties,
    patternProperties,
    additionalProperties: false,
  }
}

/** Whole numbers from one to the other, as a pattern: ten to a class. */
function numbers(from: number, to: number): string {
  const classes: string[] = []
  for (let ten = Math.floor(from / 10); ten * 10 <= to; ten++) {
    const [first, last] = [Math.max(from, ten * 10) % 10, Math.min(to, ten * 10 + 9) % 10]
    classes.push(`${ten === 0 ? '' : ten}[${first}-${last}]`)
  }
  return `(?:${classes.join('|')})`
}
