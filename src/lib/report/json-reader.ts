// Reads JSON of a known shape, strictly: every field has its type, none is missing, none is unknown. What does
// not fit is refused by its path, so that somebody can find it.

export class WrongShape extends Error {}

export type ReadValue<T> = (value: unknown, at: string) => T

export function refuse(at: string, expected: string): never {
  throw new WrongShape(`${at} is not ${expected}`)
}

/** The fields of one object: each is asked for by name, and `finish` refuses those that nobody asked for. */
export class Fields {
  readonly #json: Readonly<Record<string, unknown>>
  readonly #at: string
  readonly #asked = new Set<string>()

  constructor(value: unknown, at: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(at, 'an object')
    this.#json = value as Record<string, unknown>
    this.#at = at
  }

  at(key: string): string {
    return this.#at === '' ? key : `${this.#at}.${key}`
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#json, key) && this.#json[key] !== undefined
  }

  read<T>(key: string, read: ReadValue<T>): T {
    this.#asked.add(key)
    if (!this.has(key)) throw new WrongShape(`${this.at(key)} is missing`)
    return read(this.#json[key], this.at(key))
  }

  optional<T>(key: string, read: ReadValue<T>): T | undefined {
    this.#asked.add(key)
    return this.has(key) ? this.read(key, read) : undefined
  }

  finish(): void {
    const unknown = Object.keys(this.#json).find((key) => !this.#asked.has(key))
    if (unknown !== undefined) throw new WrongShape(`${this.at(unknown)} is a key that felhom does not write`)
  }
}

export function readWith<T>(read: (fields: Fields) => T): ReadValue<T> {
  return (value, at) => {
    const fields = new Fields(value, at)
    const result = read(fields)
    fields.finish()
    return result
  }
}

export function listOf<T>(read: ReadValue<T>): ReadValue<T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) return refuse(at, 'a list')
    return (value as unknown[]).map((item, i) => read(item, `${at}[${i}]`))
  }
}

export const text: ReadValue<string> = (value, at) =>
  typeof value === 'string' ? value : refuse(at, 'a text')

export const textOrNull: ReadValue<string | undefined> = (value, at) =>
  value === null ? undefined : text(value, at)

export const flag: ReadValue<boolean> = (value, at) =>
  typeof value === 'boolean' ? value : refuse(at, 'true or false')

export const yes: ReadValue<true> = (value, at) => (value === true ? value : refuse(at, 'true'))

export const count: ReadValue<number> = (value, at) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : refuse(at, 'a whole number')

export function matching(pattern: RegExp, expected: string): ReadValue<string> {
  return (value, at) => (typeof value === 'string' && pattern.test(value) ? value : refuse(at, expected))
}

export function oneOf<T extends string>(...words: readonly T[]): ReadValue<T> {
  return (value, at) => words.find((word) => word === value) ?? refuse(at, `one of ${words.join(', ')}`)
}

/** Where two JSON values differ first, in whatever order their keys stand; undefined: nowhere. */
export function findDifference(a: unknown, b: unknown, at = ''): string | undefined {
  if (a === b) return undefined
  if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) return at
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const inner = Array.isArray(a) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`
    if (Object.hasOwn(a, key) !== Object.hasOwn(b, key)) return inner
    const difference = findDifference(a[key], b[key], inner)
    if (difference !== undefined) return difference
  }
  return undefined
}

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
