// The one writer of a state directory: a kernel lock, which is free the moment its holder dies, however it dies.
import {FelhomError} from '../model/felhom-error.ts'

export interface LockOptions {
  readonly timeoutMs: number
  /** What this process is doing, for those who wait: `felhom apply`. */
  readonly holder: string
  readonly signal?: AbortSignal
  /** Told once when the lock is not free at once, with who holds it. */
  readonly onWait?: (holder: string) => void
}

export interface StateLock {
  release(): Promise<void>
}

/** Throws journal_locked, naming the holder, when the lock was not free within the time. */
export function acquireLock(dir: string, options: LockOptions): Promise<StateLock> {
  return Promise.reject(new FelhomError('unexpected', `${options.holder} cannot lock ${dir} yet`))
}
