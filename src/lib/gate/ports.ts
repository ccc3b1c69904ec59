// What the gate asks of the world, said by the gate. Nothing here is trusted to be right about itself: files are
// checked by their readers, signatures by the gate, and what cannot be made durable is refused.
import type {Decision} from '../model/approval.ts'
import type {GuestIdentity} from '../model/identity.ts'
import type {GuestAddress} from '../model/guest.ts'
import type {Snapshot} from '../model/snapshot.ts'

/** The trust files as they lie there, version by version from 1; bytes are not parsed. Throws FelhomError trust_unsafe. */
export interface TrustFiles {
  read(): Promise<readonly TrustFile[]>
}

export interface TrustFile {
  readonly version: number
  readonly bytes: Uint8Array
  readonly signatures: Uint8Array
}

export type NonceState = 'fresh' | 'burned' | 'rejected'

export interface NonceStore {
  state(nonce: string): NonceState
  /** Resolves when it is on disk; rejects with nonce_used if it is not fresh, journal_failed if it cannot be kept. */
  burn(nonce: string, entry: {readonly statement: string; readonly expMs: number}): Promise<void>
  reject(
    nonce: string,
    entry: {readonly statement: string; readonly expMs: number; readonly reason: string},
  ): Promise<void>
  /** The latest time that was ever believed, and the highest version of the trust store that was. */
  readonly clockMarkMs: number
  readonly trustMark: number
  /** `sha256:` of that version, so that no other can take its number; undefined where none was kept. */
  readonly trustHash?: string | undefined
  /** Forward only. */
  advance(marks: {
    readonly clockMs?: number
    readonly trust?: number
    /** Of the version `trust`. */
    readonly trustHash?: string
  }): Promise<void>
}

export interface AuditSink {
  /** Resolves when it is on disk. */
  append(decision: Decision): Promise<void>
}

/** An envelope that somebody has laid ready, as its bytes lie there: whoever did so is not trusted. */
export interface ApprovalFile {
  /** For messages; it adds no trust. */
  readonly name: string
  /** Not parsed; of what is longer than an envelope may be, any longer prefix. */
  readonly bytes: Uint8Array
  /** Named on the command line: what is wrong with it is told, whatever action it may be for. */
  readonly handedOver?: true
}

export interface ApprovalSource {
  list(): Promise<readonly ApprovalFile[]>
}

export interface SnapshotReader {
  readSnapshots(guest: GuestAddress): Promise<readonly Snapshot[]>
}

/** What our own journal proves about where a guest came from; nothing else counts. */
export interface Provenance {
  /** Created by us in this very run, and it is still that guest. */
  createdInRun(run: string, identity: GuestIdentity): boolean
  /** Journaled at its creation as scratch, and it is still that guest. */
  isScratch(identity: GuestIdentity): boolean
}
