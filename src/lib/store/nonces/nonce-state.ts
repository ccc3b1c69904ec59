// What the records add up to: which nonces were used, and how far clock and trust have been. What is forgotten can
// still not be used again: everything that ended before the time of the last drop is refused.
import type {NonceRecord, UsedNonce} from './nonce-record.ts'

const SKEW_MS = 60_000
const DAY_MS = 86_400_000
/** How long a nonce is kept after its statement has ended, by the latest time that was believed. */
export const KEEP_MS = SKEW_MS + 7 * DAY_MS

export interface KnownNonces {
  readonly used: readonly UsedNonce[]
  readonly clockMarkMs: number
  readonly trustMark: number
  readonly trustHash?: string
  readonly droppedBeforeMs: number
}

export class NonceState {
  readonly #used: Map<string, UsedNonce>
  clockMarkMs: number
  trustMark: number
  /** Of the version that was marked, if it was told. */
  trustHash: string | undefined
  /** Of what ended before, nothing is known. */
  droppedBeforeMs: number

  constructor(known: KnownNonces = {used: [], clockMarkMs: 0, trustMark: 0, droppedBeforeMs: 0}) {
    this.#used = new Map(known.used.map((entry) => [entry.nonce, entry]))
    this.clockMarkMs = known.clockMarkMs
    this.trustMark = known.trustMark
    this.trustHash = known.trustHash
    this.droppedBeforeMs = known.droppedBeforeMs
  }

  get size(): number {
    return this.#used.size
  }

  find(nonce: string): UsedNonce | undefined {
    return this.#used.get(nonce)
  }

  /** What ended before this may be dropped now: the mark decides, since the clock of the moment may be wrong. */
  get droppableBeforeMs(): number {
    return Math.max(0, this.clockMarkMs - KEEP_MS)
  }

  countDroppable(): number {
    const beforeMs = this.droppableBeforeMs
    let count = 0
    for (const {expMs} of this.#used.values()) if (expMs < beforeMs) count++
    return count
  }

  /** In the order in which they were used. */
  describe(): KnownNonces {
    const {clockMarkMs, trustMark, trustHash, droppedBeforeMs} = this
    const marks = {clockMarkMs, trustMark, ...(trustHash !== undefined && {trustHash})}
    return {used: [...this.#used.values()], ...marks, droppedBeforeMs}
  }

  /** Takes in a record that `judgeNonce` has nothing against. */
  take(record: NonceRecord): void {
    switch (record.type) {
      case 'burned':
      case 'rejected':
        this.#used.set(record.nonce, toUsed(record))
        return
      case 'mark':
        this.clockMarkMs = record.clockMs ?? this.clockMarkMs
        if (record.trust !== undefined) [this.trustMark, this.trustHash] = [record.trust, record.trustHash]
        return
      case 'clock_reset':
        this.clockMarkMs = record.clockMs
        return
      case 'dropped':
        this.#drop(record.beforeMs)
    }
  }

  #drop(beforeMs: number): void {
    this.droppedBeforeMs = beforeMs
    for (const [nonce, {expMs}] of this.#used) if (expMs < beforeMs) this.#used.delete(nonce)
  }
}

function toUsed(record: NonceRecord & {type: 'burned' | 'rejected'}): UsedNonce {
  const {nonce, statement, expMs, at} = record
  const used = {nonce, state: record.type, statement, expMs, atMs: at}
  return record.type === 'rejected' ? {...used, reason: record.reason} : used
}
