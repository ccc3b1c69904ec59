// The types of Proxmox's schema, checked on values as Perl holds them.
import {perlRegex} from './perl-regex.ts'
import type {Schema} from './types.ts'

/** A value before validation: text, what only JSON can carry, or what a repeated key makes. */
export type RawValue = string | boolean | null | RawValue[] | {[key: string]: RawValue}

export const perlBoolean = (value: boolean): string => (value ? '1' : '0')

/** What Perl's `ref` calls a value that is no plain text. */
function referenceName(value: RawValue): string | undefined {
  if (typeof value === 'string' || value === null) return undefined
  if (typeof value === 'boolean') return 'JSON::PP::Boolean'
  return Array.isArray(value) ? 'ARRAY' : 'HASH'
}

const INTEGER = perlRegex('[+-]?\\d+', {whole: true})
export const NUMBER = perlRegex('[+-]?(\\d+\\.\\d+|\\d+\\.|\\.\\d+|\\d+)([eE][+-]?\\d+)?', {whole: true})
const TYPE_TESTS: Partial<Record<string, (value: string) => boolean>> = {
  boolean: (value) => value === '1' || value === '0',
  integer: (value) => INTEGER.test(value),
  number: (value) => NUMBER.test(value),
}

/** The complaint about a value of the wrong type; undefined where it is right. */
export function typeCheck(type: Schema['type']): (value: RawValue) => string | undefined {
  if (type === undefined || type === 'any') return () => undefined
  const failed = `type check ('${type}') failed`
  if (type === 'null') return () => `${failed} - value is not null`
  if (type === 'array') return (value) => (Array.isArray(value) ? undefined : failed)
  if (type === 'object') return (value) => (referenceName(value) === 'HASH' ? undefined : failed)
  const test = TYPE_TESTS[type]
  return (value) => {
    if (typeof value === 'string') return !test || test(value) ? undefined : `${failed} - got '${value}'`
    if (typeof value === 'boolean' && type === 'boolean') return undefined
    return `${failed} - got ${referenceName(value) ?? ''}`
  }
}
