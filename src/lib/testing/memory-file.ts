// One file of the disk in memory: its bytes as a process reads them, its bytes as they are on the platter, and
// what was done since the last sync, in order.

export const SECTOR_BYTES = 512

type Change =
  | {readonly type: 'write'; readonly bytes: Buffer; readonly position: number}
  | {readonly type: 'truncate'; readonly length: number}

/** Bytes that grow, without copying all of them each time. */
class Bytes {
  #buffer: Buffer
  length: number

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes)
    this.length = bytes.length
  }

  write(bytes: Uint8Array, position: number): void {
    this.#reach(position + bytes.length)
    this.#buffer.set(bytes, position)
    this.length = Math.max(this.length, position + bytes.length)
  }

  truncate(length: number): void {
    this.#reach(length)
    this.#buffer.fill(0, length, this.length)
    this.length = length
  }

  view(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }

  #reach(length: number): void {
    if (length <= this.#buffer.length) return
    const larger = Buffer.alloc(Math.max(length, this.#buffer.length * 2, 4096))
    larger.set(this.view())
    this.#buffer = larger
  }
}

export class MemoryFile {
  #seen: Bytes
  readonly #durable: Bytes
  #changes: Change[] = []

  constructor(bytes: Uint8Array = Buffer.alloc(0)) {
    this.#seen = new Bytes(bytes)
    this.#durable = new Bytes(bytes)
  }

  get size(): number {
    return this.#seen.length
  }

  read(): Buffer {
    return Buffer.from(this.#seen.view())
  }

  readInto(buffer: Uint8Array, position: number): number {
    const part = this.#seen.view().subarray(position, position + buffer.length)
    buffer.set(part)
    return part.length
  }

  write(bytes: Uint8Array, position: number): void {
    this.#change({type: 'write', bytes: Buffer.from(bytes), position})
  }

  truncate(length: number): void {
    this.#change({type: 'truncate', length})
  }

  sync(): void {
    for (const change of this.#changes) apply(this.#durable, change)
    this.#changes = []
  }

  /** A kernel whose write-back failed takes the pages for clean: they are read back, and no later sync writes them. */
  failSync(): void {
    for (const change of this.#changes) if (change.type === 'truncate') apply(this.#durable, change)
    this.#changes = []
  }

  /** Some of what was done since the last sync survives, in order; the write that comes last may be torn. */
  losePower(random: () => number, holes: boolean): void {
    const kept = Math.floor(random() * (this.#changes.length + 1))
    for (const change of this.#changes.slice(0, kept)) apply(this.#durable, change)
    const torn = this.#changes[kept]
    if (torn?.type === 'write') tear(this.#durable, torn, random, holes)
    this.#changes = []
    this.#seen = new Bytes(this.#durable.view())
  }

  #change(change: Change): void {
    apply(this.#seen, change)
    this.#changes.push(change)
  }
}

function apply(bytes: Bytes, change: Change): void {
  if (change.type === 'write') bytes.write(change.bytes, change.position)
  else bytes.truncate(change.length)
}

/** Cut at a byte; or the size is there already and the sectors from some place on are not; or some of them. */
function tear(
  durable: Bytes,
  {bytes, position}: Extract<Change, {type: 'write'}>,
  random: () => number,
  holes: boolean,
): void {
  const cut = Math.floor(random() * bytes.length)
  const kind = random()
  if (kind < 0.5) {
    durable.write(bytes.subarray(0, cut), position)
    return
  }
  const torn = Buffer.from(bytes)
  const end = position + bytes.length
  for (let at = position + cut; at < end;) {
    const sector = Math.floor(at / SECTOR_BYTES) * SECTOR_BYTES
    const next = sector + SECTOR_BYTES
    // A sector is written whole or not at all; the first one already held bytes before this write.
    const isLost = sector >= position && (!holes || kind < 0.75 || random() < 0.5)
    if (isLost) {
      torn.fill(0, sector - position, Math.min(next, end) - position)
      // What was there before is there still.
      durable
        .view()
        .subarray(sector, Math.min(next, end))
        .copy(torn, sector - position)
    }
    at = next
  }
  durable.write(torn, position)
}
