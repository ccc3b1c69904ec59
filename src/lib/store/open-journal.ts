// Opens the journal for writing: the only way to a JournaledIntent. It replays the newest segment, mends a tail
// that a crash has torn, and refuses anything else that is not what was written.
import {FelhomError} from '../model/felhom-error.ts'
import type {JournalStore, OpenJournalOptions} from './journal/journal-store.ts'

export type {
  Compaction,
  CompactOptions,
  JournalIdentity,
  JournalStore,
  OpenJournalOptions,
} from './journal/journal-store.ts'

export function openJournal(options: OpenJournalOptions): Promise<JournalStore> {
  return Promise.reject(new FelhomError('unexpected', `the journal in ${options.dir} cannot be opened yet`))
}
