// Reads every segment, every hash and every checkpoint, and tells all that is not as it was written. Changes nothing.
import {FelhomError} from '../model/felhom-error.ts'
import type {ReadJournalOptions} from './read-journal.ts'

export interface JournalProblem {
  readonly file: string
  readonly line: number
  /** In bytes, of the line's beginning. */
  readonly offset: number
  readonly message: string
}

export interface JournalReport {
  /** File names, oldest first. */
  readonly segments: readonly string[]
  readonly records: number
  readonly bytes: number
  readonly open: number
  /** Empty: all is as it was written. */
  readonly problems: readonly JournalProblem[]
  /** An append that a crash, or a writer at work, left unfinished: no damage; the next writer mends it. */
  readonly torn?: {readonly file: string; readonly offset: number; readonly bytes: number}
}

export function verifyJournal(options: ReadJournalOptions): Promise<JournalReport> {
  return Promise.reject(new FelhomError('unexpected', `the journal in ${options.dir} cannot be verified yet`))
}
