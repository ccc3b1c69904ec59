// The checks of Proxmox's JSON schema, compiled once into closures: types, limits, patterns, formats and property
// strings. The order of the checks and their texts are what a caller sees, so they are kept exactly.
import {codeFormats} from './code-formats.ts'
import {FormatError, WRONG_KEYS} from './format-error.ts'
import {objectFormats} from './named-formats.ts'
import {perlBoolean, typeCheck, type RawValue} from './check-type.ts'
import {compileLimits, type TextCheck} from './check-limits.ts'
import {readParts} from './read-parts.ts'
import {splitList} from './split-list.ts'
import type {ObjectFormat, Schema} from './types.ts'

/** Error texts by parameter, dotted inside property strings: `net0.ip`. */
export type Errors = Map<string, string>
export type Check = (value: RawValue, path: string, errors: Errors) => void

const MISSING = 'property is missing and it is not optional'
export const UNKNOWN = 'property is not defined in schema and the schema does not allow additional properties'

export function addError(errors: Errors, path: string, text: string): void {
  const key = path === '' ? '_root' : path
  const before = errors.get(key)
  errors.set(key, before === undefined ? text : `${before}\\n${text}`)
}

/** A check of one present or absent value; null stands for Perl's undef. */
export function compileSchema(schema: Schema): Check {
  const checkType = typeCheck(schema.type)
  const textChecks = compileTextChecks(schema)
  const checkItem = schema.items ? compileSchema(schema.items) : undefined
  const optional = schema.optional === 1 || schema.alias !== undefined
  return (value, path, errors) => {
    if (value === null) {
      if (!optional && schema.type !== 'null') addError(errors, path, MISSING)
      return
    }
    const wrongType = checkType(value)
    if (wrongType !== undefined) {
      addError(errors, path, wrongType)
      return
    }
    if (Array.isArray(value)) {
      if (checkItem) value.forEach((item, index) => checkItem(item, `${path}[${index}]`, errors))
      return
    }
    if (typeof value === 'object') return
    const wrong = firstWrong(textChecks, typeof value === 'boolean' ? perlBoolean(value) : value, path)
    if (wrong !== undefined) addError(errors, path, wrong)
  }
}

function firstWrong(checks: TextCheck[], value: string, path: string): string | undefined {
  for (const check of checks) {
    const wrong = check(value, path)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function compileTextChecks(schema: Schema): TextCheck[] {
  const limits = compileLimits(schema)
  return schema.format === undefined ? limits : [compileFormatCheck(schema.format), ...limits]
}

function compileFormatCheck(format: string | ObjectFormat): TextCheck {
  const check = compileFormat(format)
  return (value, path) => {
    try {
      check(value, path)
    } catch (error) {
      if (error instanceof FormatError) return `invalid format - ${error.message}`
      throw error
    }
    return undefined
  }
}

export type CompiledFormat = (value: string, path: string) => void
const compiledNames = new Map<string, CompiledFormat>()

/** A named format, with the suffixes `-list` and `-opt`, or the keys of a property string. */
export function compileFormat(format: string | ObjectFormat): CompiledFormat {
  if (typeof format !== 'string') {
    const parse = compileObjectFormat(format)
    return (value, path) => void parse(value, path)
  }
  let compiled = compiledNames.get(format)
  if (!compiled) compiledNames.set(format, (compiled = compileNamedFormat(format)))
  return compiled
}

function compileNamedFormat(format: string): CompiledFormat {
  if (format === 'regex') return () => undefined
  const object = objectFormats[format]
  if (object) {
    const parse = objectFormatParser(format)
    return (value, path) => void parse(value, path)
  }
  const match = /^(.*?)(?:-(list|opt))?$/.exec(format)
  const check = codeFormats[match?.[1] ?? '']
  if (!check) throw new Error(`undefined format '${format}'`)
  if (match?.[2] === 'list') return (value) => splitList(value).forEach((item) => check(item))
  if (match?.[2] === 'opt') {
    return (value) => {
      if (value !== '' && value !== '0') check(value)
    }
  }
  return (value) => check(value)
}

export interface ParseOptions {
  /** Keys that are read over, whatever their value. */
  skip?: readonly string[]
}
export type ObjectParser = (text: string, path: string, options?: ParseOptions) => Record<string, string>

const parsersByName = new Map<string, ObjectParser>()
const parsersByFormat = new WeakMap<ObjectFormat, ObjectParser>()

/** The parser of a property string, compiled at first use. */
export function objectFormatParser(format: string | ObjectFormat): ObjectParser {
  if (typeof format !== 'string') return compileObjectFormat(format)
  let parser = parsersByName.get(format)
  if (!parser) {
    const named = objectFormats[format]
    if (!named) throw new Error(`unknown format: ${format}`)
    const parse = compileObjectFormat(named.format)
    const {validate} = named
    parser = validate ? (text, path, options) => validated(parse(text, path, options), validate) : parse
    parsersByName.set(format, parser)
  }
  return parser
}

function validated(data: Record<string, string>, validate: (data: Record<string, string>) => void) {
  validate(data)
  return data
}

function compileObjectFormat(format: ObjectFormat): ObjectParser {
  let parser = parsersByFormat.get(format)
  if (!parser) {
    const checkObject = compileObjectCheck(format)
    const keys = new Map(Object.entries(format))
    const defaultKey = Object.keys(format).find((key) => format[key]?.default_key === 1)
    parser = (text, path, options) => {
      const data = readParts(text, keys, defaultKey, options?.skip)
      const errors = checkObject(data, path)
      if (errors.size > 0) throw new FormatError(WRONG_KEYS, errors)
      return data
    }
    parsersByFormat.set(format, parser)
  }
  return parser
}

/** A check of a whole property string's keys and values; unknown keys only where `open` is not set. */
export function compileObjectCheck(format: ObjectFormat, open = false) {
  const schemas = new Map(Object.entries(format))
  const properties = Object.entries(format).map(([key, schema]) => ({
    key,
    check: compileSchema(schema),
    mayMiss: schema.optional === 1 || schema.alias !== undefined,
  }))
  return (data: Record<string, string>, path: string): Errors => {
    const errors: Errors = new Map()
    const at = (key: string): string => (path === '' ? key : `${path}.${key}`)
    for (const {key, check, mayMiss} of properties) {
      const value = data[key]
      if (value !== undefined || !mayMiss) check(value ?? null, at(key), errors)
    }
    for (const key of Object.keys(data)) {
      const schema = schemas.get(key)
      if (!schema) {
        if (!open) addError(errors, at(key), UNKNOWN)
      } else if (schema.requires !== undefined && data[schema.requires] === undefined) {
        addError(errors, at(schema.requires), `missing property required by '${at(key)}'`)
      }
    }
    return errors
  }
}
