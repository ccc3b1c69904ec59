// The journal for those who only look: no lock is taken, nothing is mended, nothing is written. A record that is
// being written at this moment is not seen; history streams, however long it is.
import {FelhomError} from '../model/felhom-error.ts'
import type {Operation} from '../model/operation.ts'
import type {Disk} from './disk.ts'
import type {JournalRecord} from './journal/journal-record.ts'
import type {JournalIdentity} from './journal/journal-store.ts'

export type {JournalRecord} from './journal/journal-record.ts'

export interface ReadJournalOptions {
  readonly disk: Disk
  /** The state directory. */
  readonly dir: string
}

export interface JournalView {
  /** undefined: there is no journal yet. */
  readonly identity: JournalIdentity | undefined
  openOperations(): readonly Operation[]
  disarmed(): readonly string[]
  knowsTask(upid: string): boolean
  readonly knowsTasksSinceMs: number
  lastRun(): string | undefined
  /** All of the history: each operation once, when it has ended; those still open come last. */
  operations(filter?: {readonly run?: string; readonly vmid?: number}): AsyncIterable<Operation>
  /** Looks through all of the history. */
  findOperation(op: string): Promise<Operation | undefined>
  /** Every record as it was written, oldest first; with `op`, those of that operation. */
  records(filter?: {readonly op?: string}): AsyncIterable<JournalRecord>
}

export function readJournal(options: ReadJournalOptions): Promise<JournalView> {
  return Promise.reject(new FelhomError('unexpected', `the journal in ${options.dir} cannot be read yet`))
}
