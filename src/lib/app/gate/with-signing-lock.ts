// One signer at a time reads, joins and writes what several people sign: approvals and versions of the trust store. It
// is a lock of its own beside the one of the state directory, so that people can sign while an apply is under way.
import {acquireLock} from '../../store/acquire-lock.ts'
import {openStateDirectory} from '../../store/open-state-directory.ts'
import type {UpkeepRequest} from '../journal/journal-upkeep.ts'

const NAME = 'signing.lock'

/** For `work` alone, which asks nobody for anything: others wait for it. */
export async function withSigningLock<T>(
  {settings, holder, lockTimeoutMs, signal, onLocked}: Omit<UpkeepRequest, 'warn'>,
  work: () => T,
): Promise<T> {
  const dir = await openStateDirectory(settings.state)
  const options = {name: NAME, timeoutMs: lockTimeoutMs, holder, signal, onWait: onLocked}
  const lock = await acquireLock(dir, options)
  try {
    return work()
  } finally {
    await lock.release()
  }
}
