// What a writer of the journal can do. It has the shape of the engine's port, and the few things more that the
// commands which look after the journal need.
import type {Disk} from '../disk.ts'
import type {GuestIdentity} from '../../model/identity.ts'
import type {Ending, Intent, JournaledIntent, Operation} from '../../model/operation.ts'

/** Whom the journal's operations were sent to, and as whom. */
export interface JournalIdentity {
  readonly endpoint: string
  readonly tokenId: string
}

export interface OpenJournalOptions {
  readonly disk: Disk
  /** The state directory; the segments are in `journal` in it. The caller holds its lock. */
  readonly dir: string
  readonly identity: JournalIdentity
  readonly clock: {now(): number}
  readonly warn: (text: string) => void
  /** A segment is ended when it has grown to this. */
  readonly segmentBytes?: number
}

export interface CompactOptions {
  /** Segments whose last record is older than this are removed; the newest segment never is. */
  readonly olderThanMs: number
  /** End the newest segment first, so that it can be removed too when it is old enough. */
  readonly rotate?: boolean
}

export interface Compaction {
  /** File names. */
  readonly removed: readonly string[]
  readonly kept: readonly string[]
}

export interface JournalStore {
  /** Resolves when the record is on disk. Rejects with nothing recorded as started: then nothing may be sent. */
  start(intent: Intent): Promise<JournaledIntent>
  taskRunning(op: string, upid: string): Promise<void>
  settle(op: string, ending: Ending): Promise<void>
  /** Since when every look has proved that there is no such guest; undefined: it was seen. Survives a restart. */
  noteAbsence(op: string, sinceMs: number | undefined): Promise<void>
  /** Operations without a terminal record, oldest first. Each freezes its guest. */
  openOperations(): readonly Operation[]
  /** An operation that is open, or ended lately; `JournalView.findOperation` looks through all of the history. */
  find(op: string): Operation | undefined
  /** Whether an operation was ever started under this key. */
  usedKey(key: string): boolean
  /** The operation that was started under this key, if that was lately. */
  findByKey(key: string): Operation | undefined
  /** Whether this run has created this very guest, and lately. */
  hasCreated(run: string, identity: GuestIdentity): boolean
  /** The run of the latest operation. */
  lastRun(): string | undefined
  disarmed(): readonly string[]
  knowsTask(upid: string): boolean
  readonly knowsTasksSinceMs: number
  disarm(upids: readonly string[]): Promise<void>
  /** The operator has looked at these tasks: they are known from now on. */
  rearm(upids: readonly string[]): Promise<void>
  /** Ends the newest segment and begins another with all that is known. */
  rotate(): Promise<void>
  compact(options: CompactOptions): Promise<Compaction>
  /** Waits for what is being written. */
  close(): Promise<void>
}
