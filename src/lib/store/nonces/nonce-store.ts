// What the store offers of used approvals: more than the gate's port, for the commands that look after them.
import type {Disk} from '../disk.ts'
import type {UsedNonce} from './nonce-record.ts'

export interface OpenNoncesOptions {
  readonly disk: Disk
  /** The state directory; the segments are in `nonces` in it. The caller holds its lock. */
  readonly dir: string
  readonly clock: {now(): number}
  readonly warn: (text: string) => void
  /** A segment is ended when it has grown to this. */
  readonly segmentBytes?: number
}

export interface NonceUse {
  /** `sha256:…` of the signed bytes. */
  readonly statement: string
  readonly expMs: number
}

export interface NonceMarks {
  readonly clockMs?: number
  readonly trust?: number
  /** `sha256:` of the version `trust`. */
  readonly trustHash?: string
}

export interface NonceView {
  state(nonce: string): 'fresh' | UsedNonce['state']
  /** How and when it was used. */
  find(nonce: string): UsedNonce | undefined
  /** The latest time that was ever believed, and the highest version of the trust store that was. */
  readonly clockMarkMs: number
  readonly trustMark: number
  readonly trustHash?: string | undefined
}

export interface OpenNonces extends NonceView {
  /** Resolves when it is on disk; rejects with nonce_used if it is not fresh, journal_failed if it cannot be kept. */
  burn(nonce: string, use: NonceUse): Promise<void>
  reject(nonce: string, use: NonceUse & {readonly reason: string}): Promise<void>
  /** Forward only: a mark that is there already, or further, stays. */
  advance(marks: NonceMarks): Promise<void>
  /** The operator's word, after a wrong clock was mended; whoever calls it audits it. What was dropped stays used. */
  resetClock(toMs: number, by?: string): Promise<void>
  /** Drops what may be dropped by the clock mark; how many. */
  compact(): Promise<number>
  close(): Promise<void>
}
