// Chance that can be had again: the same seed gives the same numbers. Each concern draws from a stream of its
// own, so that leaving one kind of fault out does not shift what the others do.

export class Random {
  readonly #seed: number
  #state: number

  constructor(seed: number) {
    this.#seed = seed
    this.#state = seed | 0
  }

  /** In [0, 1) (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** Whole, both ends included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to pick from')
    return list[this.below(list.length)] as T
  }

  /** Independent of how often this one was asked. */
  stream(name: string): Random {
    let hash = this.#seed ^ 0x9e3779b9
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
    const mixed = new Random(hash)
    mixed.next()
    return new Random(Math.floor(mixed.next() * 4294967296))
  }
}
