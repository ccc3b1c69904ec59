// The first step of a property string: split into keys and values, with aliases and the default key resolved.
import {refuse} from './format-error.ts'
import {dropTrailing} from './split-list.ts'
import type {Schema} from './types.ts'

export function readParts(
  text: string,
  keys: Map<string, Schema>,
  defaultKey: string | undefined,
  skip: readonly string[] | undefined,
): Record<string, string> {
  const data = Object.create(null) as Record<string, string>
  let usedDefault = false
  for (const part of dropTrailing(text.split(','))) {
    if (/^\s*$/.test(part)) continue
    const match = /^([^=]+)=([^\n]+)\n?$/.exec(part)
    if (match) {
      const [key, value] = [match[1] ?? '', match[2] ?? '']
      if (!skip?.includes(key)) setKey(data, keys, key, value)
    } else if (part.includes('=')) {
      refuse('missing key in comma-separated list property')
    } else if (usedDefault || (defaultKey !== undefined && isTrue(data[defaultKey]))) {
      refuse(`duplicate key in comma-separated list property: ${defaultKey ?? ''}`)
    } else if (defaultKey === undefined) {
      refuse('value without key, but schema does not define a default key')
    } else {
      usedDefault = true
      data[defaultKey] = readValue(keys.get(defaultKey), part)
    }
  }
  return data
}

const isTrue = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== '0'

function setKey(data: Record<string, string>, keys: Map<string, Schema>, key: string, value: string): void {
  if (data[key] !== undefined) refuse(`duplicate key in comma-separated list property: ${key}`)
  const schema = keys.get(key)
  if (schema?.alias === undefined) {
    data[key] = readValue(schema, value)
    return
  }
  if (schema.keyAlias !== undefined) {
    if (data[schema.keyAlias] !== undefined) refuse(`key alias '${schema.keyAlias}' is already defined`)
    data[schema.keyAlias] = key
  }
  if (data[schema.alias] !== undefined) refuse(`key '${schema.alias}' is already defined (via alias)`)
  data[schema.alias] = readValue(keys.get(schema.alias), value)
}

/** Inside property strings, unlike in parameters, a boolean has many spellings. */
function readValue(schema: Schema | undefined, value: string): string {
  if (schema?.type !== 'boolean') return value
  if (/^(?:1|on|yes|true)\n?$/i.test(value)) return '1'
  if (/^(?:0|off|no|false)\n?$/i.test(value)) return '0'
  return value
}
