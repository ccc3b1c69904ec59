// Patterns, lengths, ranges and enumerations of one text, in the order in which Proxmox checks them.
import {NUMBER} from './check-type.ts'
import {perlRegex} from './perl-regex.ts'
import type {Schema} from './types.ts'

/** The complaint, or undefined where the text is right. */
export type TextCheck = (value: string, path: string) => string | undefined

export function compileLimits(schema: Schema): TextCheck[] {
  const checks: TextCheck[] = []
  if (schema.pattern !== undefined) checks.push(compilePattern(schema.pattern))
  const {maxLength, minLength} = schema
  if (maxLength !== undefined) checks.push((value) => tooLong(value, maxLength))
  if (minLength !== undefined) checks.push((value) => tooShort(value, minLength))
  if (schema.maximum !== undefined || schema.minimum !== undefined) checks.push(compileRange(schema))
  if (schema.enum) checks.push(compileEnum(schema.enum.map(String)))
  return checks
}

function compilePattern(pattern: string): TextCheck {
  const regex = perlRegex(pattern, {whole: true})
  return (value) => (regex.test(value) ? undefined : 'value does not match the regex pattern')
}

/** Perl counts characters, JavaScript UTF-16 units: only texts near the limit need the slow count. */
function characters(value: string): number {
  let count = value.length
  for (let i = 0; i < value.length - 1; i++) {
    if ((value.charCodeAt(i) & 0xfc00) === 0xd800 && (value.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count--
  }
  return count
}

const tooLong = (value: string, limit: number): string | undefined =>
  value.length > limit && characters(value) > limit ? `value may only be ${limit} characters long` : undefined

const tooShort = (value: string, limit: number): string | undefined =>
  characters(value) < limit ? `value must be at least ${limit} characters long` : undefined

function compileRange({minimum, maximum}: Schema): TextCheck {
  return (value) => {
    if (!NUMBER.test(value)) return undefined
    // Perl counts with the ASCII digits alone, though its patterns take those of other scripts.
    const number = Number.parseFloat(value) || 0
    if (maximum !== undefined && number > Number(maximum)) {
      return `value must have a maximum value of ${maximum}`
    }
    if (minimum !== undefined && number < Number(minimum)) {
      return `value must have a minimum value of ${minimum}`
    }
    return undefined
  }
}

function compileEnum(values: string[]): TextCheck {
  const allowed = new Set(values)
  const list = values.join(', ')
  return (value) =>
    allowed.has(value) ? undefined : `value '${value}' does not have a value in the enumeration '${list}'`
}
