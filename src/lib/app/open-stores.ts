// All logs of a locked state directory, opened together or not at all: one that is damaged stops every writer.
import {openAudit, type OpenAudit} from '../store/audit/open-audit.ts'
import {openInstallId} from '../store/install-id.ts'
import {openNonces, type OpenNonces} from '../store/nonces/open-nonces.ts'
import {openJournal, type JournalIdentity, type JournalStore} from '../store/open-journal.ts'
import {systemDisk} from '../store/system-disk.ts'
import {systemClock} from './system-clock.ts'

export interface Stores {
  readonly journal: JournalStore
  /** Approvals that were used, and the marks of clock and trust; on disk from the first record on. */
  readonly nonces: OpenNonces
  /** Likewise. */
  readonly audit: OpenAudit
  /** The id of this installation, which approvals are made for. */
  readonly host: string
  /** Waits for what is being written. */
  close(): Promise<void>
}

export interface StoresRequest {
  /** Absolute; the caller holds its lock. */
  readonly dir: string
  readonly identity: JournalIdentity
  readonly warn: (text: string) => void
}

export async function openStores({dir, identity, warn}: StoresRequest): Promise<Stores> {
  const common = {disk: systemDisk, dir, clock: systemClock, warn}
  const opened: {close(): Promise<void>}[] = []
  const keep = <T extends {close(): Promise<void>}>(store: T): T => {
    opened.push(store)
    return store
  }
  const close = async (): Promise<void> => {
    await Promise.allSettled(opened.map((store) => store.close()))
  }
  try {
    const journal = keep(await openJournal({...common, identity}))
    const nonces = keep(await openNonces(common))
    const audit = keep(await openAudit(common))
    return {journal, nonces, audit, host: openInstallId(dir), close}
  } catch (error) {
    await close()
    throw error
  }
}
