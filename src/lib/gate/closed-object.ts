// Objects of which every field is known: one too many or one too few makes the whole malformed.
import type {CanonicalValue} from '../model/approval.ts'
import {Malformed} from './ssh-wire.ts'

export type Fields<K extends string, O extends string = never> = Readonly<
  Record<K, CanonicalValue> & Partial<Record<O, CanonicalValue>>
>

/** Throws Malformed unless `value` has exactly `names`, and of `optional` any. */
export function readFields<K extends string, O extends string = never>(
  value: CanonicalValue,
  names: readonly K[],
  optional: readonly O[] = [],
): Fields<K, O> {
  const object = readObject(value)
  const known: readonly string[] = [...names, ...optional]
  for (const name of Object.keys(object)) {
    if (!known.includes(name)) throw new Malformed(`it has an unknown field "${name}"`)
  }
  for (const name of names) {
    if (!Object.hasOwn(object, name)) throw new Malformed(`it has no field "${name}"`)
  }
  return object as Fields<K, O>
}

export function readObject(value: CanonicalValue): Readonly<Record<string, CanonicalValue>> {
  if (typeof value !== 'object' || value === null || isList(value)) throw new Malformed('it is no object')
  return value
}

export const isList = (value: CanonicalValue): value is readonly CanonicalValue[] => Array.isArray(value)

/** A text of this form; throws Malformed, naming the field. */
export function readText(value: CanonicalValue, form: RegExp, field: string): string {
  if (typeof value !== 'string' || !form.test(value)) throw new Malformed(`"${field}" is not of its form`)
  return value
}

export function readInteger(value: CanonicalValue, from: number, to: number, field: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < from || value > to)
    throw new Malformed(`"${field}" is not a whole number from ${from} to ${to}`)
  return value
}
