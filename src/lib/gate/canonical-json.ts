// JSON of which every value has exactly one text (RFC 8785), and nothing in it that two readers could read in two
// ways. What is signed is accepted only in that text, so the reader of the bytes and the reader of the value agree.
import canonicalize from 'canonicalize'
import type {CanonicalValue} from '../model/approval.ts'
import {Malformed} from './ssh-wire.ts'

const MAX_DEPTH = 8
const MAX_NODES = 512
const KEY = /^[a-z][a-z0-9_.-]{0,63}$/
const BANNED_KEYS: ReadonlySet<string> = new Set(['constructor', 'prototype'])
/** Control, format (bidi, zero-width), half a surrogate pair, separators of lines, private use, unassigned, unseen. */
const UNFIT = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/u

/** Reads canonical bytes; throws Malformed. */
export function readCanonical(bytes: Uint8Array): CanonicalValue {
  const text = readUtf8(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Malformed('it is not JSON')
  }
  const fit = checkValue(value, 0, {nodes: 0})
  if (writeCanonical(fit) !== text) throw new Malformed('it is not in canonical form')
  return fit
}

/** The one text of a value; throws Malformed if it has none. Whether its texts are fit to be signed is not asked. */
export function writeCanonical(value: CanonicalValue): string {
  try {
    const text = canonicalize(value)
    if (text !== undefined) return text
  } catch {
    // Half a surrogate pair, or a number that JSON does not know.
  }
  throw new Malformed('it has no canonical form')
}

/** A mark of the byte order is a character like any other, and none that JSON knows. */
export function readUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes)
  } catch {
    throw new Malformed('it is not UTF-8')
  }
}

function checkValue(value: unknown, depth: number, seen: {nodes: number}): CanonicalValue {
  if (++seen.nodes > MAX_NODES) throw new Malformed('it holds too many values')
  switch (typeof value) {
    case 'string':
      return checkText(value)
    case 'number':
      if (!Number.isSafeInteger(value) || Object.is(value, -0))
        throw new Malformed('a number is not a safe integer')
      return value
    case 'boolean':
      return value
    default:
      if (value === null) return null
      if (typeof value !== 'object') throw new Malformed('it holds what JSON does not know')
      return checkGroup(value, depth, seen)
  }
}

function checkGroup(group: object, depth: number, seen: {nodes: number}): CanonicalValue {
  if (depth >= MAX_DEPTH) throw new Malformed('it is nested too deeply')
  if (Array.isArray(group)) return group.map((item) => checkValue(item, depth + 1, seen))
  const checked: Record<string, CanonicalValue> = {}
  for (const [key, value] of Object.entries(group)) {
    if (!KEY.test(key) || BANNED_KEYS.has(key)) throw new Malformed('a key is not allowed')
    checked[key] = checkValue(value, depth + 1, seen)
  }
  return checked
}

function checkText(text: string): string {
  if (text.normalize('NFC') !== text) throw new Malformed('a text is not in normal form')
  if (UNFIT.test(text)) throw new Malformed('a text holds characters that do not show')
  return text
}
