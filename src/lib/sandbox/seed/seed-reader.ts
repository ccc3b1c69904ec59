// Reads untrusted JSON field by field. Every complaint names the place in the file.

export class SeedError extends Error {
  constructor(place: string, problem: string) {
    super(`seed: ${place}: ${problem}`)
    this.name = 'SeedError'
  }
}

const typeName = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'object'
        ? 'an object'
        : typeof value

/** One JSON object of the seed and where it stands. */
export class SeedObject {
  readonly place: string
  readonly #fields: Record<string, unknown>

  constructor(value: unknown, place: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new SeedError(place, `expected an object, got ${typeName(value)}`)
    }
    this.place = place
    this.#fields = value as Record<string, unknown>
  }

  keys(): string[] {
    return Object.keys(this.#fields)
  }

  has(key: string): boolean {
    return this.#fields[key] !== undefined && this.#fields[key] !== null
  }

  raw(key: string): unknown {
    return this.#fields[key]
  }

  at(key: string): string {
    return `${this.place}.${key}`
  }

  fail(key: string, problem: string): never {
    throw new SeedError(this.at(key), problem)
  }

  text(key: string, fallback?: string): string {
    return this.optionalText(key) ?? fallback ?? this.fail(key, 'missing')
  }

  optionalText(key: string): string | undefined {
    const value = this.#fields[key]
    if (value === undefined || value === null) return undefined
    if (typeof value === 'number') return String(value)
    return typeof value === 'string' ? value : this.fail(key, `expected text, got ${typeName(value)}`)
  }

  number(key: string, fallback?: number): number {
    return this.optionalNumber(key) ?? fallback ?? this.fail(key, 'missing')
  }

  optionalNumber(key: string): number | undefined {
    const value = this.#fields[key]
    if (value === undefined || value === null) return undefined
    return typeof value === 'number' && Number.isFinite(value)
      ? value
      : this.fail(key, `expected a number, got ${typeName(value)}`)
  }

  flag(key: string, fallback = false): boolean {
    const value = this.#fields[key]
    if (value === undefined || value === null) return fallback
    if (typeof value === 'boolean') return value
    return value === 0 || value === 1 ? value === 1 : this.fail(key, 'expected true or false')
  }

  object(key: string): SeedObject {
    return new SeedObject(this.#fields[key] ?? {}, this.at(key))
  }

  list(key: string): unknown[] {
    const value = this.#fields[key] ?? []
    return Array.isArray(value) ? value : this.fail(key, `expected a list, got ${typeName(value)}`)
  }

  objects(key: string): SeedObject[] {
    return this.list(key).map((v, i) => new SeedObject(v, `${this.at(key)}[${String(i)}]`))
  }

  texts(key: string): string[] {
    return this.list(key).map((v, i) =>
      typeof v === 'string' ? v : this.fail(`${key}[${String(i)}]`, `expected text, got ${typeName(v)}`),
    )
  }

  numbers(key: string): number[] {
    return this.list(key).map((v, i) =>
      typeof v === 'number' ? v : this.fail(`${key}[${String(i)}]`, `expected a number, got ${typeName(v)}`),
    )
  }

  /** An object of plain values, as text: the options of a config or of storage.cfg. */
  options(key: string): Record<string, string> {
    const from = this.object(key)
    return Object.fromEntries(from.keys().map((k) => [k, from.text(k)]))
  }

  /** Refuses keys that nobody reads, which are most often typing errors. */
  allowOnly(keys: readonly string[]): void {
    const unknown = this.keys().find((k) => !keys.includes(k))
    if (unknown !== undefined) this.fail(unknown, `unknown key; known are ${keys.join(', ')}`)
  }
}
