// The state directory for one who writes: checked, locked, and with its logs open. Whoever holds what is made here
// is the only writer, until it is closed or the process dies.
import type {JournalIdentity} from '../store/open-journal.ts'
import type {Stores} from './open-stores.ts'

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

export interface OpenState extends Stores {
  /** Absolute. */
  readonly dir: string
}

export async function openState(request: StateRequest): Promise<OpenState> {
  const [{openStateDirectory}, {acquireLock}, {openStores}] = await Promise.all([
    import('../store/open-state-directory.ts'),
    import('../store/acquire-lock.ts'),
    import('./open-stores.ts'),
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
    const stores = await openStores({dir, identity, warn})
    return {dir, ...stores, close: () => closeAll(stores, lock)}
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The lock last: nobody may read the logs for writing before all of them are there. */
async function closeAll(stores: Stores, lock: {release(): Promise<void>}): Promise<void> {
  try {
    await stores.close()
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
