// The wrapping of a statement and its signatures. It adds no trust: whoever carries it may have written it.
import type {CanonicalValue, Envelope} from '../model/approval.ts'
import {readUtf8} from './canonical-json.ts'
import {isList, readFields} from './closed-object.ts'
import {MAX_PAYLOAD_BYTES} from './statement.ts'
import {MAX_ARMOUR_CHARACTERS} from './sshsig.ts'
import {Malformed} from './ssh-wire.ts'

export const MAX_ENVELOPE_BYTES = 64 * 1024
export const MAX_SIGNATURES = 8

/** Strings, to be kept, and white space between them. */
const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"|[ \t\r\n]+/g

/** Reads it whole; throws Malformed. A list of no signatures is well-formed: nobody has signed yet. */
export function decodeEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length > MAX_ENVELOPE_BYTES) throw new Malformed('the envelope is too long')
  const text = readUtf8(bytes)
  const value = parseJson(text)
  const {v, payload, signatures} = readFields(value, ['v', 'payload', 'signatures'])
  if (v !== 1) throw new Malformed('the version of the envelope is not 1')
  const envelope = {payload: readPayload(payload), signatures: readSignatures(signatures)}
  checkPlain(text, value)
  return envelope
}

export function encodeEnvelope({payload, signatures}: Envelope): string {
  const text = JSON.stringify({v: 1, payload: Buffer.from(payload).toString('base64'), signatures})
  decodeEnvelope(Buffer.from(text))
  return `${text}\n`
}

function parseJson(text: string): CanonicalValue {
  try {
    return JSON.parse(text) as CanonicalValue
  } catch {
    throw new Malformed('the envelope is not JSON')
  }
}

/** Any order and any white space, but each key once and each value in its plain form. */
function checkPlain(text: string, value: CanonicalValue): void {
  const compact = text.replace(STRING_OR_SPACE, (part) => (part.startsWith('"') ? part : ''))
  if (JSON.stringify(value) !== compact) throw new Malformed('the envelope can be read in two ways')
}

function readPayload(payload: CanonicalValue): Buffer {
  if (typeof payload !== 'string' || payload === '') throw new Malformed('the envelope has no payload')
  const bytes = Buffer.from(payload, 'base64')
  if (bytes.toString('base64') !== payload) throw new Malformed('the payload is not plain base64')
  if (bytes.length > MAX_PAYLOAD_BYTES) throw new Malformed('the statement is too long')
  return bytes
}

function readSignatures(signatures: CanonicalValue): string[] {
  if (!isList(signatures)) throw new Malformed('the envelope has no list of signatures')
  if (signatures.length > MAX_SIGNATURES) throw new Malformed('the envelope has too many signatures')
  return signatures.map((signature) => {
    if (typeof signature !== 'string') throw new Malformed('a signature is no text')
    if (signature.length > MAX_ARMOUR_CHARACTERS) throw new Malformed('the signature is too long')
    return signature
  })
}
