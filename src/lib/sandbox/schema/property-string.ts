// Property strings, `name=eth0,bridge=vmbr0`: text to keys and values and back, in Proxmox's order of keys.
import {compileObjectCheck, objectFormatParser, type ParseOptions} from './compile.ts'
import {FormatError, WRONG_KEYS} from './format-error.ts'
import {objectFormats} from './named-formats.ts'
import {die, PveError} from '../pve-error.ts'
import {formatSize, parseSize} from './sizes.ts'
import type {ObjectFormat} from './types.ts'

type Data = Record<string, string>

/** Parses and validates; a wrong text is the 500 that Perl's `die` makes. `path` leads the keys in its text. */
export function parsePropertyString(
  format: string | ObjectFormat,
  text: string,
  options: ParseOptions & {path?: string} = {},
): Data {
  try {
    return objectFormatParser(format)(text, options.path ?? '', options)
  } catch (error) {
    if (error instanceof FormatError) dieOf(error.message, error.keys)
    throw error
  }
}

/** Wrong keys are told one by one, as those of a request are, but with a 500. */
function dieOf(message: string, keys: ReadonlyMap<string, string> | undefined): never {
  if (!keys) die(message)
  throw new PveError(500, WRONG_KEYS, Object.fromEntries(keys))
}

/** The default key first, then the required keys, then the others, each by name. A size is given in bytes. */
export function printPropertyString(
  data: Readonly<Data>,
  format: string | ObjectFormat,
  skip: readonly string[] = [],
): string {
  const keys = typeof format === 'string' ? namedFormat(format) : format
  const errors = checkOf(keys)(data, '')
  if (errors.size > 0) dieOf(WRONG_KEYS, errors)
  return new Printer(data, keys, skip).print()
}

function namedFormat(name: string): ObjectFormat {
  const named = objectFormats[name]
  if (!named) throw new Error(`not a valid format: ${name}`)
  return named.format
}

const checks = new WeakMap<ObjectFormat, ReturnType<typeof compileObjectCheck>>()

function checkOf(format: ObjectFormat): ReturnType<typeof compileObjectCheck> {
  let check = checks.get(format)
  if (!check) checks.set(format, (check = compileObjectCheck(format, true)))
  return check
}

class Printer {
  readonly #data: Readonly<Data>
  readonly #format: ObjectFormat
  readonly #done: Set<string>
  readonly #parts: string[] = []
  /** Keys printed together with another: `virtio=AA:…` carries `model` and `macaddr`. */
  readonly #combined = new Map<string, string>()

  constructor(data: Readonly<Data>, format: ObjectFormat, skip: readonly string[]) {
    this.#data = data
    this.#format = format
    this.#done = new Set(skip)
    for (const {alias, keyAlias} of Object.values(format)) {
      if (alias !== undefined && keyAlias !== undefined) this.#combined.set(keyAlias, alias)
    }
  }

  print(): string {
    const defaultKey = Object.keys(this.#format).find((key) => this.#format[key]?.default_key === 1)
    if (defaultKey !== undefined) this.#add(defaultKey, true)
    const keys = Object.keys(this.#data).sort()
    for (const key of keys) {
      const schema = this.#format[key]
      if (schema && schema.optional !== 1) this.#add(key)
    }
    for (const key of keys) this.#add(key)
    return this.#parts.join(',')
  }

  #add(key: string, isDefault = false): void {
    if (this.#done.has(key)) return
    this.#done.add(key)
    const value = this.#data[key]
    if (value === undefined) return
    const partner = this.#combined.get(key)
    const partnerValue = partner === undefined ? undefined : this.#data[partner]
    if (partner !== undefined && partnerValue !== undefined) {
      this.#done.add(partner)
      this.#parts.push(`${this.#text(key, value)}=${this.#text(partner, partnerValue)}`)
      return
    }
    this.#parts.push(isDefault ? this.#text(key, value) : `${key}=${this.#text(key, value)}`)
  }

  #text(key: string, value: string): string {
    const own = this.#format[key]
    const schema = own?.alias === undefined ? own : this.#format[own.alias]
    if (!schema) die(`invalid key '${key}'`)
    if (schema.format === 'disk-size') return formatSize(parseSize(value) ?? 0)
    if (value.includes(',')) die(`illegal value with commas for ${key}`)
    return value
  }
}
