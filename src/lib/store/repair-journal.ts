// Makes a damaged journal usable again, at the operator's word only. What is damaged is set aside, never thrown
// away; all that can still be trusted is carried over; and since something may be missing, destructive work is
// disarmed until the operator re-arms it.
import {FelhomError} from '../model/felhom-error.ts'
import type {OpenJournalOptions} from './journal/journal-store.ts'
import type {JournalProblem} from './verify-journal.ts'

export interface JournalRepair {
  /** False: there was nothing to repair. */
  readonly repaired: boolean
  readonly problems: readonly JournalProblem[]
  /** Names under which the damaged files were kept. */
  readonly setAside: readonly string[]
  /** Whole records found behind the damage and carried over. */
  readonly salvaged: number
  /** Lines that cannot be trusted. */
  readonly lost: number
}

/** The caller holds the lock. */
export function repairJournal(options: OpenJournalOptions): Promise<JournalRepair> {
  return Promise.reject(new FelhomError('unexpected', `the journal in ${options.dir} cannot be repaired yet`))
}
