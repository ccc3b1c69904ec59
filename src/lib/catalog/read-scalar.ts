// A single value that a person wrote, checked against its type and limits, in the words that Proxmox takes.
import type {Guess} from '../model/nearest-word.ts'
import {checkFormat} from './check-format.ts'
import {parseBoolean} from './property-string.ts'
import {formatSize, hasSizeUnit, parseSizeBytes} from './sizes.ts'
import {describeWritten, type Flaw} from './value-problem.ts'

export interface ScalarSpec {
  readonly type: 'boolean' | 'integer' | 'number' | 'string'
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
  readonly minLength?: number | undefined
  readonly maxLength?: number | undefined
  readonly enum?: readonly string[] | undefined
  readonly pattern?: string | undefined
  readonly format?: string | undefined
  readonly unit?: 'MiB' | 'bytes' | undefined
  /** May have line breaks. */
  readonly isProse?: boolean | undefined
}

export type ScalarResult = {readonly text: string} | {readonly flaw: Flaw}

const KIBIBYTE = 1024
const MEBIBYTE = 1024 ** 2

export function readScalar(spec: ScalarSpec, written: unknown, guess: Guess): ScalarResult {
  switch (spec.type) {
    case 'boolean':
      return readFlag(written)
    case 'integer':
      return readInteger(spec, written)
    case 'number':
      return readNumber(spec, written)
    case 'string':
      return spec.format === 'disk-size' ? readDiskSize(written) : readText(spec, written, guess)
  }
}

function refuse(written: unknown, expected: string, suggestion?: string): ScalarResult {
  const message = `${describeWritten(written)} does not fit here`
  return {flaw: {message, expected, ...(suggestion === undefined ? {} : {suggestion})}}
}

function readFlag(written: unknown): ScalarResult {
  if (typeof written === 'boolean') return {text: written ? '1' : '0'}
  const flag = parseBoolean(wordOf(written) ?? '')
  return flag === undefined ? refuse(written, 'true or false') : {text: flag ? '1' : '0'}
}

/** Texts and whole numbers as text; undefined for everything else. */
function wordOf(written: unknown): string | undefined {
  if (typeof written === 'string') return written
  if (typeof written === 'bigint' || Number.isSafeInteger(written)) return String(written)
  return undefined
}

function readInteger(spec: ScalarSpec, written: unknown): ScalarResult {
  const word = wordOf(written)?.trim() ?? ''
  const expected = `${spec.unit === 'MiB' ? 'a size such as 2GiB, or a whole number of MiB' : 'a whole number'}${rangeOf(spec)}`
  if (/^[+-]?\d+$/.test(word)) return checkRange(spec, written, Number(word), expected)
  if (spec.unit !== 'MiB' || !hasSizeUnit(word)) return refuse(written, expected)
  const bytes = parseSizeBytes(word)
  if (bytes === undefined) return refuse(written, expected)
  return checkRange(spec, written, Math.ceil(bytes / MEBIBYTE), expected)
}

function readNumber(spec: ScalarSpec, written: unknown): ScalarResult {
  const word = typeof written === 'number' ? String(written) : (wordOf(written)?.trim() ?? '')
  const expected = `${spec.unit === 'MiB' ? 'a size such as 2GiB, or a number of MiB' : 'a number'}${rangeOf(spec)}`
  if (/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(word))
    return checkRange(spec, written, Number(word), expected)
  const bytes = spec.unit === 'MiB' && hasSizeUnit(word) ? parseSizeBytes(word) : undefined
  if (bytes === undefined) return refuse(written, expected)
  return checkRange(spec, written, Math.ceil(bytes / MEBIBYTE), expected)
}

function checkRange(spec: ScalarSpec, written: unknown, value: number, expected: string): ScalarResult {
  const isSound = Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  const isWithin = value >= (spec.minimum ?? -Infinity) && value <= (spec.maximum ?? Infinity)
  return isSound && isWithin ? {text: String(value)} : refuse(written, expected)
}

function rangeOf({minimum, maximum, unit}: ScalarSpec): string {
  const [from, to] = [minimum, maximum].map((limit) =>
    limit === undefined ? undefined : `${String(limit)}${unit === 'MiB' ? ' MiB' : ''}`,
  )
  if (from !== undefined && to !== undefined) return ` from ${from} to ${to}`
  if (from !== undefined) return ` of at least ${from}`
  return to === undefined ? '' : ` of at most ${to}`
}

/** Whole KiB stay as they are (some disks of Proxmox's own are that small), the rest is rounded up to MiB. */
function readDiskSize(written: unknown): ScalarResult {
  const expected = 'a size with its unit such as 16GiB'
  const word = wordOf(written)?.trim() ?? ''
  const bytes = parseSizeBytes(word)
  if (bytes === undefined) return refuse(written, expected)
  if (!hasSizeUnit(word)) return refuse(written, expected, `${word}GiB`)
  return {text: formatSize(bytes % KIBIBYTE === 0 ? bytes : Math.ceil(bytes / MEBIBYTE) * MEBIBYTE)}
}

function readText(spec: ScalarSpec, written: unknown, guess: Guess): ScalarResult {
  if (spec.enum) return readChoice(spec.enum, written, guess)
  const word = wordOf(written)
  if (word === undefined) {
    const isPlain = typeof written === 'number' || typeof written === 'boolean'
    return isPlain ? refuse(written, 'text', `"${String(written)}", in quotes`) : refuse(written, 'text')
  }
  const expected = findFlaw(spec, word)
  return expected === undefined ? {text: word} : refuse(written, expected)
}

function readChoice(choices: readonly string[], written: unknown, guess: Guess): ScalarResult {
  const word = wordOf(written)
  if (word !== undefined && choices.includes(word)) return {text: word}
  const given = typeof written === 'boolean' ? (written ? 'on' : 'off') : (word ?? '')
  const near = choices.find((choice) => choice.toLowerCase() === given.toLowerCase())
  return refuse(written, `one of ${choices.join(', ')}`, near ?? guess(given, choices))
}

function findFlaw(spec: ScalarSpec, text: string): string | undefined {
  const {length} = text
  if (spec.minLength !== undefined && length < spec.minLength)
    return `at least ${String(spec.minLength)} characters`
  if (spec.maxLength !== undefined && length > spec.maxLength)
    return `at most ${String(spec.maxLength)} characters`
  if (spec.isProse !== true && hasLineBreak(text)) return 'a single line'
  const expected = checkFormat(spec.format, text)
  if (expected !== undefined) return expected
  return spec.pattern === undefined || compile(spec.pattern).test(text)
    ? undefined
    : `text like ${spec.pattern}`
}

/** A line break would begin another option in Proxmox's file. */
function hasLineBreak(text: string): boolean {
  return text.includes('\n') || text.includes('\r')
}

const compiled = new Map<string, RegExp>()

function compile(pattern: string): RegExp {
  let regexp = compiled.get(pattern)
  if (!regexp) compiled.set(pattern, (regexp = new RegExp(`^(?:${pattern})$`)))
  return regexp
}
