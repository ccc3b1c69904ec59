// Reads every segment, every hash and every checkpoint, and tells all that is not as it was written. Changes nothing.
import {join} from 'node:path'
import {journalKind} from './journal/journal-kind.ts'
import type {LogProblem} from './log/log-problem.ts'
import {verifyLog} from './log/verify-log.ts'
import type {ReadJournalOptions} from './read-journal.ts'

export type JournalProblem = LogProblem

export interface JournalReport {
  /** File names, oldest first. */
  readonly segments: readonly string[]
  readonly records: number
  readonly bytes: number
  readonly open: number
  /** Hash of the last record: it seals all that is before it. Absent: there is none. */
  readonly head?: string
  /** Empty: all is as it was written. */
  readonly problems: readonly JournalProblem[]
  /** An append that a crash, or a writer at work, left unfinished: no damage; the next writer mends it. */
  readonly torn?: {readonly file: string; readonly offset: number; readonly bytes: number}
}

export async function verifyJournal({disk, dir}: ReadJournalOptions): Promise<JournalReport> {
  const {segments, records, bytes, problems, torn, state, head} = await verifyLog(
    {disk, dir: join(dir, 'journal')},
    journalKind,
  )
  const open = state?.openOperations().length ?? 0
  return {segments, records, bytes, open, ...(head !== undefined && {head}), problems, ...(torn && {torn})}
}
