// Parameters against a method's schema: every wrong parameter is told at once, as Proxmox does. Validators are
// compiled at a method's first call and kept.
import {addError, compileSchema, UNKNOWN, type Check, type Errors} from './compile.ts'
import {perlBoolean, type RawValue} from './check-type.ts'
import {optionCount, splitIndexed} from './option-ranges.ts'
import {paramError} from '../pve-error.ts'
import type {Params, ParamValue} from '../call.ts'
import type {MethodSchema, Schema} from './types.ts'

export type {RawValue} from './check-type.ts'
/** Parameters as decoded from a request. */
export type RawParams = Record<string, RawValue>

interface Property {
  schema: Schema
  check: Check
}

interface CompiledMethod {
  properties: Map<string, Property>
  /** `net` for `net[n]`. */
  indexed: Map<string, Property>
  required: string[]
  open: boolean
}

const compiled = new WeakMap<MethodSchema, CompiledMethod>()

/** The parameters as handlers want them, or a 400 that names each wrong one. */
export function validateParams(schema: MethodSchema, params: RawParams): Params {
  const method = compiledMethod(schema)
  const errors: Errors = new Map()
  const result = Object.create(null) as Params
  const dependent: string[] = []
  for (const key of Object.keys(params)) {
    const property = propertyOf(method, key)
    if (!property) {
      if (!method.open) addError(errors, key, UNKNOWN)
      continue
    }
    const value = normalize(params[key] ?? null, property.schema)
    property.check(value, key, errors)
    if (property.schema.requires !== undefined) dependent.push(key)
    result[key] = untaint(value)
  }
  for (const key of method.required) {
    if (params[key] === undefined) method.properties.get(key)?.check(null, key, errors)
  }
  for (const key of dependent) checkRequires(propertyOf(method, key)?.schema.requires, key, params, errors)
  if (errors.size > 0) paramError(Object.fromEntries(errors))
  return result
}

function compiledMethod(schema: MethodSchema): CompiledMethod {
  let method = compiled.get(schema)
  if (!method) compiled.set(schema, (method = compileMethod(schema.parameters)))
  return method
}

function compileMethod(parameters: Schema): CompiledMethod {
  const method: CompiledMethod = {
    properties: new Map(),
    indexed: new Map(),
    required: [],
    open: parameters.additionalProperties !== 0,
  }
  for (const [key, schema] of Object.entries(parameters.properties ?? {})) {
    const property = {schema, check: compileSchema(schema)}
    if (key.endsWith('[n]')) method.indexed.set(key.slice(0, -3), property)
    else method.properties.set(key, property)
    if (schema.optional !== 1) method.required.push(key)
  }
  return method
}

function propertyOf(method: CompiledMethod, key: string): Property | undefined {
  const property = method.properties.get(key)
  if (property) return property
  const option = splitIndexed(key)
  return option && option.index < optionCount(option.name) ? method.indexed.get(option.name) : undefined
}

function checkRequires(requires: string | undefined, key: string, params: RawParams, errors: Errors): void {
  if (requires === undefined || (params[requires] ?? null) !== null) return
  addError(errors, requires, `missing property required by '${key}'`)
}

/** A list may come as an array where text is wanted, and as text where an array is wanted. */
function normalize(value: RawValue, schema: Schema): RawValue {
  if (Array.isArray(value)) {
    const isList =
      schema.type === 'string' && typeof schema.format === 'string' && schema.format.endsWith('-list')
    return isList ? value.map(perlText).join(',') : value
  }
  return schema.type === 'array' && typeof value === 'string' && value !== '' && value !== '0'
    ? [value]
    : value
}

/** How Perl would write the value into a text: a reference with its address in memory. */
function perlText(value: RawValue): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return perlBoolean(value)
  return value === null ? '' : `${Array.isArray(value) ? 'ARRAY' : 'HASH'}(0x55d5c5c0a008)`
}

function untaint(value: RawValue): ParamValue {
  if (value === null || typeof value === 'string') return value
  return Array.isArray(value) ? value.map(perlText) : perlText(value)
}
