// Guests of one house resemble each other: what a thousand of them write in the same way is read once.
import type {Option} from '../catalog/option.ts'
import {readValue, type ValueReading} from '../catalog/read-value.ts'
import type {Guess} from '../model/nearest-word.ts'

const MAX_ENTRIES = 20_000
const MAX_LENGTH = 200

export class ValueCache {
  readonly #readings = new Map<string, ValueReading>()
  readonly #guess: Guess

  constructor(guess: Guess) {
    this.#guess = guess
  }

  read(option: Option, written: unknown): ValueReading {
    const key = `${option.kind} ${option.name} ${JSON.stringify(written)}`
    const known = this.#readings.get(key)
    if (known) return known
    const reading = readValue(option, written, this.#guess)
    if (key.length <= MAX_LENGTH && this.#readings.size < MAX_ENTRIES) this.#readings.set(key, reading)
    return reading
  }
}
