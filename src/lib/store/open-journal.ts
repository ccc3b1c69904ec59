// Opens the journal for writing: the only way to a JournaledIntent. It replays the newest segment, mends a tail
// that a crash has torn, and refuses anything else that is not what was written.
import {join} from 'node:path'
import {FelhomError} from '../model/felhom-error.ts'
import {FileJournal} from './journal/file-journal.ts'
import {identityOf, journalKind} from './journal/journal-kind.ts'
import type {JournalState} from './journal/journal-state.ts'
import type {JournalIdentity, JournalStore, OpenJournalOptions} from './journal/journal-store.ts'
import type {AppendLog} from './log/append-log.ts'
import {openLog, type OpenLogOptions} from './log/open-log.ts'

export type {
  Compaction,
  CompactOptions,
  JournalIdentity,
  JournalStore,
  OpenJournalOptions,
} from './journal/journal-store.ts'

export const SEGMENT_BYTES = 16 * 1024 * 1024

/** The caller holds the lock of the state directory. */
export async function openJournal(options: OpenJournalOptions): Promise<JournalStore> {
  const place = journalLog(options)
  const log = await openLog(place)
  try {
    await adoptIdentity(log, options.identity)
  } catch (error) {
    await log.close()
    throw error
  }
  return new FileJournal(log, place, options.clock)
}

export function journalLog(options: OpenJournalOptions): OpenLogOptions<JournalState> {
  const {disk, dir, identity, clock, warn, segmentBytes = SEGMENT_BYTES} = options
  const {endpoint, tokenId} = identity
  return {
    disk,
    dir: join(dir, 'journal'),
    identity: {endpoint, tokenId},
    kind: journalKind,
    clock,
    warn,
    segmentBytes,
  }
}

/** What is open can be settled only where it was sent to, and only by whose tasks it started. */
async function adoptIdentity(log: AppendLog<JournalState>, wanted: JournalIdentity): Promise<void> {
  const {endpoint, tokenId} = identityOf(log.header)
  if (endpoint === wanted.endpoint && tokenId === wanted.tokenId) return
  const open = log.state.openOperations().length
  if (open > 0)
    throw new FelhomError(
      'journal_mismatch',
      `the journal has ${open} open operation${open === 1 ? '' : 's'} at ${endpoint} as ${tokenId}, and the settings name ${wanted.endpoint} as ${wanted.tokenId}`,
      {
        hint: `Settle them with the old settings (felhom recover), or name another state directory.`,
        doubt: 'Nothing was written and nothing was sent.',
      },
    )
  await log.rotate({endpoint: wanted.endpoint, tokenId: wanted.tokenId})
}
