// A plugin's answer as JSON that says what the answer said. JSON.stringify on its own changes meanings: NaN becomes null,
// which would remove an option, and a Map becomes an object without anything in it.
import {describeThrown} from './describe-thrown.ts'

export type PlainJson = {readonly text: string} | {readonly problem: string}

/** `problem`: a clause that names the value and where it is. A key that is `undefined` is a key that is not there. */
export function writePlainJson(value: unknown): PlainJson {
  try {
    return {text: JSON.stringify(copyPlain(value, [], []))}
  } catch (error) {
    if (error instanceof NotPlain) return {problem: error.message}
    return {problem: `what cannot be read: ${describeThrown(error)}`}
  }
}

class NotPlain extends Error {}

/** A copy, so that nothing is read a second time and found to be something else. */
function copyPlain(value: unknown, path: readonly string[], parents: readonly object[]): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  const refuse = (what: string): NotPlain =>
    new NotPlain(path.length === 0 ? what : `${what} at ${show(path)}`)
  if (typeof value === 'number' || value === undefined) throw refuse(String(value))
  if (typeof value !== 'object') throw refuse(`a ${typeof value}`)
  if (parents.includes(value)) throw refuse('an object that holds itself')
  const copy = (one: unknown, key: string): unknown => copyPlain(one, [...path, key], [...parents, value])
  if (Array.isArray(value)) return Array.from(value, (one: unknown, i) => copy(one, String(i)))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) throw refuse(nameOf(prototype))
  if (Object.getOwnPropertySymbols(value).length > 0) throw refuse('a symbol for a key')
  const entries: [string, unknown][] = Object.entries(value)
  return Object.fromEntries(
    entries.filter(([, one]) => one !== undefined).map(([key, one]) => [key, copy(one, key)]),
  )
}

/** `a Map`, `a Date`. */
function nameOf(prototype: unknown): string {
  const {constructor} = prototype as {constructor?: unknown}
  const name = typeof constructor === 'function' ? constructor.name : ''
  return /^\w+$/.test(name) && name !== 'Object' ? `a ${name}` : 'an object of a class'
}

/** `guests.101.config.cores`; keys that could be taken for something else in quotes. */
const show = (path: readonly string[]): string =>
  path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join('.')
