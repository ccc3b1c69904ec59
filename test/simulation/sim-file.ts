// One file of the simulated disk: what a reader sees, and what is sure to be there after a power loss.
import type {Random} from './random.ts'

const SECTOR_BYTES = 512

export class SimFile {
  #live: Buffer = Buffer.alloc(4096)
  #length = 0
  #durable: Buffer = Buffer.alloc(0)
  /** From here on the durable bytes may differ from the live ones. */
  #dirtyFrom = 0
  /** Written pages that the kernel gave up when a sync failed: a later sync says nothing about them. */
  #givenUp: {from: number; to: number}[] = []

  get length(): number {
    return this.#length
  }

  /** What is sure to survive. */
  get durable(): Buffer {
    return this.#durable
  }

  read(into: Uint8Array, position: number): number {
    const end = Math.min(this.#length, position + into.length)
    if (end <= position) return 0
    into.set(this.#live.subarray(position, end))
    return end - position
  }

  write(bytes: Uint8Array, position: number): void {
    const end = position + bytes.length
    if (end > this.#live.length) {
      const larger = Buffer.alloc(Math.max(end, this.#live.length * 2))
      this.#live.copy(larger, 0, 0, this.#length)
      this.#live = larger
    }
    if (position > this.#length) this.#live.fill(0, this.#length, position)
    this.#live.set(bytes, position)
    this.#length = Math.max(this.#length, end)
    this.#dirtyFrom = Math.min(this.#dirtyFrom, position)
    this.#givenUp = this.#givenUp.filter(({from}) => from < position)
  }

  truncate(length: number): void {
    if (length > this.#length) this.write(Buffer.alloc(length - this.#length), this.#length)
    this.#length = length
    this.#dirtyFrom = Math.min(this.#dirtyFrom, length)
    this.#givenUp = this.#givenUp.filter(({from}) => from < length)
  }

  sync(): void {
    const next = Buffer.alloc(this.#length)
    this.#durable.copy(next, 0, 0, Math.min(this.#dirtyFrom, this.#length))
    this.#live.copy(next, this.#dirtyFrom, this.#dirtyFrom, this.#length)
    for (const {from, to} of this.#givenUp) next.fill(0, from, Math.min(to, this.#length))
    this.#durable = next
    this.#dirtyFrom = this.#length
  }

  failSync(): void {
    const from = Math.max(this.#dirtyFrom, this.#durable.length)
    if (this.#length > from) this.#givenUp.push({from, to: this.#length})
    this.#dirtyFrom = this.#length
  }

  /**
   * The power fails: of what was not synced nothing is there, or all, or what was written until some byte, or the
   * size with zeros from some sector on. Seldom, where a file system keeps no order, any sector may be missing: then
   * the result is true, for that cannot be told from damage.
   */
  losePower(random: Random, mayLeaveHoles = true): boolean {
    const [old, now] = [this.#durable.length, this.#length]
    const dirtyFrom = Math.min(this.#dirtyFrom, now)
    if (dirtyFrom >= now && old === now) {
      this.#settle(this.#durable)
      return false
    }
    const shape = random.below(mayLeaveHoles ? 12 : 11)
    const cut = shape < 2 ? dirtyFrom : shape < 5 ? now : random.between(dirtyFrom, now)
    const grown = shape < 2 ? old : shape < 8 ? Math.max(old, cut) : now
    const next = Buffer.alloc(now < old && shape >= 2 ? now : grown)
    this.#durable.copy(next)
    this.#live.copy(next, dirtyFrom, dirtyFrom, shape < 8 ? cut : sectorStart(cut, dirtyFrom))
    const hasHoles = shape === 11
    if (hasHoles) this.#writeSomeSectors(next, Math.max(dirtyFrom, Math.min(old, next.length)), random)
    for (const {from, to} of this.#givenUp)
      if (from < next.length) next.fill(0, from, Math.min(to, next.length))
    this.#settle(next)
    return hasHoles
  }

  #writeSomeSectors(next: Buffer, dirtyFrom: number, random: Random): void {
    for (let start = sectorStart(dirtyFrom, 0); start < next.length; start += SECTOR_BYTES) {
      const [from, to] = [Math.max(start, dirtyFrom), Math.min(start + SECTOR_BYTES, next.length)]
      if (random.chance(0.5)) this.#live.copy(next, from, from, to)
      else next.fill(0, from, to)
    }
  }

  flipBit(random: Random): void {
    if (this.#length === 0) return
    const at = random.below(this.#length)
    this.#live[at] = (this.#live[at] ?? 0) ^ (1 << random.below(8))
    this.#settle(Buffer.from(this.#live.subarray(0, this.#length)))
  }

  copy(): SimFile {
    const twin = new SimFile()
    twin.#settle(Buffer.from(this.#live.subarray(0, this.#length)))
    return twin
  }

  bytes(): Buffer {
    return this.#live.subarray(0, this.#length)
  }

  #settle(bytes: Buffer): void {
    this.#live = Buffer.from(bytes)
    this.#length = bytes.length
    this.#durable = bytes
    this.#dirtyFrom = bytes.length
    this.#givenUp = []
  }
}

const sectorStart = (at: number, least: number): number => Math.max(least, at - (at % SECTOR_BYTES))
