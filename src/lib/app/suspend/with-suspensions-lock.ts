// Whoever changes what is suspended has a lock of its own for that, beside the one of the state directory: a pass of
// the daemon may hold that one for an hour, and somebody who wants it to stop cannot wait so long.
import {acquireLock} from '../../store/acquire-lock.ts'
import type {LockRequest} from '../state/open-state.ts'

const NAME = 'suspensions.lock'

/** `dir`: absolute, and checked. Whoever holds the lock of the state directory too has taken that one first. */
export async function withSuspensionsLock<T>(
  {
    holder,
    lockTimeoutMs,
    signal,
    onWait,
  }: Pick<LockRequest, 'holder' | 'lockTimeoutMs' | 'signal' | 'onWait'>,
  dir: string,
  work: () => T | Promise<T>,
): Promise<T> {
  const lock = await acquireLock(dir, {
    name: NAME,
    timeoutMs: lockTimeoutMs,
    holder,
    ...(onWait && {onWait}),
    ...(signal && {signal}),
  })
  try {
    return await work()
  } finally {
    await lock.release()
  }
}
