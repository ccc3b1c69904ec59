// Request bodies and query strings, decoded with the quirks of Proxmox's HTTP server: forms are split at `;` too,
// a key without `=` has no value, what follows a second `=` is lost, and a repeated key becomes a list.
import {PveError} from '../pve-error.ts'
import {JsonReader, MalformedJson} from './json-reader.ts'
import type {RawValue} from './check-type.ts'
import type {RawParams} from './validate.ts'
import {dropTrailing} from './split-list.ts'

const SERVER_FILE = '/usr/share/perl5/PVE/APIServer/AnyEvent.pm'
const decoder = new TextDecoder('utf-8', {ignoreBOM: true})

/** A form or a query string; bytes that are no UTF-8 become U+FFFD. */
export function decodeForm(body: Uint8Array | string): RawParams {
  const params = Object.create(null) as RawParams
  const text =
    typeof body === 'string'
      ? Buffer.from(body, 'utf8')
      : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const data = text.toString('latin1')
  if (data === '' || data === '0') return params
  for (const part of dropTrailing(data.split(/[&;]/))) addPart(params, part)
  return params
}

function addPart(params: RawParams, part: string): void {
  const [rawKey = '', rawValue] = part.split('=', 2)
  const key = unescapeBytes(rawKey)
  if (rawValue === undefined) {
    params[key] = null
    return
  }
  const value = decoder.decode(Buffer.from(unescapeBytes(rawValue), 'latin1'))
  params[key] = joinRepeated(params[key] ?? null, value)
}

function joinRepeated(before: RawValue, value: string): RawValue {
  if (before === null) return value
  return Array.isArray(before) ? [...before, value] : [before, value]
}

/** One character per byte. */
function unescapeBytes(text: string): string {
  return text
    .replace(/\+/g, ' ')
    .replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}

/** A JSON body; what is no object is the 500 that the server dies with. */
export function decodeJson(body: Uint8Array | string): RawParams {
  const value = readJson(typeof body === 'string' ? body : decoder.decode(body))
  if (value === null) return Object.create(null) as RawParams
  if (Array.isArray(value) || typeof value === 'boolean') dieInServer('Not a HASH reference', 978)
  if (typeof value === 'object') return value
  const shown = value.length > 32 ? `"${value.slice(0, 32)}"...` : `"${value}"`
  return dieInServer(`Can't use string (${shown}) as a HASH ref while "strict refs" in use`, 978)
}

/** Perl tells where it died when nobody foresaw the error. */
function dieInServer(message: string, line: number): never {
  throw new PveError(500, `${message} at ${SERVER_FILE} line ${line}.\n`)
}

function readJson(text: string): RawValue {
  try {
    return new JsonReader(text).read()
  } catch (error) {
    if (error instanceof MalformedJson) dieInServer(error.message, 934)
    throw error
  }
}
