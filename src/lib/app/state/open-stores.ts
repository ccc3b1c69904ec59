// The logs of a locked state directory, opened together or not at all: one that is damaged stops every writer who
// needs it.
import {openAudit, type OpenAudit} from '../../store/audit/open-audit.ts'
import {openInstallId} from '../../store/install-id.ts'
import {openNonces, type OpenNonces} from '../../store/nonces/open-nonces.ts'
import {openJournal, type JournalIdentity, type JournalStore} from '../../store/open-journal.ts'
import type {Disk} from '../../store/disk.ts'
import {systemDisk} from '../../store/system-disk.ts'
import {systemClock} from '../system-clock.ts'

/** What the gate decides by and writes to. */
export interface GateStores {
  /** Approvals that were used, and the marks of clock and trust; on disk from the first record on. */
  readonly nonces: OpenNonces
  /** Likewise. */
  readonly audit: OpenAudit
  /** The id of this installation, which approvals are made for. */
  readonly host: string
  /** Waits for what is being written. */
  close(): Promise<void>
}

export interface Stores extends GateStores {
  readonly journal: JournalStore
}

export interface StoresRequest {
  /** Absolute; the caller holds its lock. */
  readonly dir: string
  readonly warn: (text: string) => void
  /** Absent: the real ones. */
  readonly disk?: Disk
  readonly clock?: {now(): number}
  /** Absent: the one that is kept in the directory, or made there. */
  readonly host?: string
}

export async function openStores(
  request: StoresRequest & {readonly identity: JournalIdentity},
): Promise<Stores> {
  const {dir, identity, warn, disk = systemDisk, clock = systemClock} = request
  const gate = await openGateStores(request)
  try {
    const journal = await openJournal({disk, dir, identity, clock, warn})
    return {...gate, journal, close: () => closeEach(journal, gate)}
  } catch (error) {
    await gate.close()
    throw error
  }
}

export async function openGateStores(request: StoresRequest): Promise<GateStores> {
  const {dir, warn, disk = systemDisk, clock = systemClock} = request
  const common = {disk, dir, clock, warn}
  const host = request.host ?? openInstallId(dir)
  const nonces = await openNonces(common)
  try {
    const audit = await openAudit(common)
    return {nonces, audit, host, close: () => closeEach(nonces, audit)}
  } catch (error) {
    await nonces.close()
    throw error
  }
}

/** None keeps the others from it. */
async function closeEach(...stores: readonly {close(): Promise<void>}[]): Promise<void> {
  await Promise.allSettled(stores.map((store) => store.close()))
}
