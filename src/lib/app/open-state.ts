// The state directory for one who writes: checked, locked, and with its journal open. Whoever holds what is made
// here is the only writer, until it is closed or the process dies.
import type {JournalIdentity, JournalStore} from '../store/open-journal.ts'
import {systemClock} from './system-clock.ts'

export interface StateRequest {
  /** The setting `state`. */
  readonly dir: string
  readonly identity: JournalIdentity
  /** What this process does, for those who have to wait: `felhom apply`. */
  readonly holder: string
  readonly lockTimeoutMs: number
  readonly warn: (text: string) => void
  /** Told once when somebody else holds the lock. */
  readonly onWait?: (holder: string) => void
  readonly signal?: AbortSignal
}

export interface OpenState {
  /** Absolute. */
  readonly dir: string
  readonly journal: JournalStore
  close(): Promise<void>
}

export async function openState(request: StateRequest): Promise<OpenState> {
  const [{openStateDirectory}, {acquireLock}, {openJournal}, {systemDisk}] = await Promise.all([
    import('../store/open-state-directory.ts'),
    import('../store/acquire-lock.ts'),
    import('../store/open-journal.ts'),
    import('../store/system-disk.ts'),
  ])
  const {identity, holder, lockTimeoutMs, warn, onWait, signal} = request
  const dir = await openStateDirectory(request.dir)
  const lock = await acquireLock(dir, {
    timeoutMs: lockTimeoutMs,
    holder,
    ...(onWait && {onWait}),
    ...(signal && {signal}),
  })
  try {
    const journal = await openJournal({disk: systemDisk, dir, identity, clock: systemClock, warn})
    return {dir, journal, close: () => closeBoth(journal, lock)}
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The lock last: nobody may read the journal for writing before all of it is there. */
async function closeBoth(journal: JournalStore, lock: {release(): Promise<void>}): Promise<void> {
  try {
    await journal.close()
  } finally {
    await lock.release()
  }
}

/** For `work` alone, whatever happens in it. */
export async function withState<T>(
  request: StateRequest,
  work: (state: OpenState) => Promise<T>,
): Promise<T> {
  const state = await openState(request)
  try {
    return await work(state)
  } finally {
    await state.close()
  }
}
