// The state directory for one who writes: checked, locked, and with its logs open. Whoever holds what is made here
// is the only writer, until it is closed or the process dies.
import type {Disk} from '../../store/disk.ts'
import type {JournalIdentity} from '../../store/open-journal.ts'
import type {GateStores, Stores, StoresRequest} from './open-stores.ts'

export interface LockRequest {
  /** The setting `state`. */
  readonly dir: string
  /** What this process does, for those who have to wait: `felhom apply`. */
  readonly holder: string
  readonly lockTimeoutMs: number
  readonly warn: (text: string) => void
  /** Told once when somebody else holds the lock. */
  readonly onWait?: (holder: string) => void
  readonly signal?: AbortSignal
}

export interface StateRequest extends LockRequest {
  readonly identity: JournalIdentity
  /** Absent: the real one. */
  readonly disk?: Disk
}

export interface OpenState extends Stores {
  /** Absolute. */
  readonly dir: string
}

export async function openState(request: StateRequest): Promise<OpenState> {
  const {openStores} = await import('./open-stores.ts')
  const {identity, disk} = request
  return openLocked(request, (place) => openStores({...place, identity, ...(disk && {disk})}))
}

/** For `work` alone, whatever happens in it. */
export async function withState<T>(
  request: StateRequest,
  work: (state: OpenState) => Promise<T>,
): Promise<T> {
  return closeAfter(await openState(request), work)
}

/** The same for what the gate keeps; whom the journal is about need not be known, nor need there be one. */
export async function withGateStores<T>(
  request: LockRequest,
  work: (stores: GateStores & {readonly dir: string}) => Promise<T>,
): Promise<T> {
  const {openGateStores} = await import('./open-stores.ts')
  return closeAfter(await openLocked(request, openGateStores), work)
}

async function openLocked<T extends GateStores>(
  {dir: path, holder, lockTimeoutMs, warn, onWait, signal}: LockRequest,
  open: (place: StoresRequest) => Promise<T>,
): Promise<T & {readonly dir: string}> {
  const [{openStateDirectory}, {acquireLock}] = await Promise.all([
    import('../../store/open-state-directory.ts'),
    import('../../store/acquire-lock.ts'),
  ])
  const dir = await openStateDirectory(path)
  const lock = await acquireLock(dir, {
    timeoutMs: lockTimeoutMs,
    holder,
    ...(onWait && {onWait}),
    ...(signal && {signal}),
  })
  try {
    const stores = await open({dir, warn})
    return {...stores, dir, close: () => closeBoth(stores, lock)}
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The lock last: nobody may read the logs for writing before all of them are there. */
async function closeBoth(stores: GateStores, lock: {release(): Promise<void>}): Promise<void> {
  try {
    await stores.close()
  } finally {
    await lock.release()
  }
}

async function closeAfter<S extends GateStores, T>(stores: S, work: (stores: S) => Promise<T>): Promise<T> {
  try {
    return await work(stores)
  } finally {
    await stores.close()
  }
}
