// The operator's look at the journal's integrity, and the way out when it is damaged.
import type {Settings} from '../../settings/settings.ts'
import {acquireLock} from '../../store/acquire-lock.ts'
import {openStateDirectory} from '../../store/open-state-directory.ts'
import {repairJournal, type JournalRepair} from '../../store/repair-journal.ts'
import {systemDisk} from '../../store/system-disk.ts'
import {verifyJournal, type JournalReport} from '../../store/verify-journal.ts'
import type {UpkeepRequest} from './journal-upkeep.ts'
import {readToken} from '../read-token.ts'
import {systemClock} from '../system-clock.ts'

export type {JournalRepair, JournalReport}

export const checkJournal = ({state}: Pick<Settings, 'state'>): Promise<JournalReport> =>
  verifyJournal({disk: systemDisk, dir: state})

/** The header may be what is damaged: whom the journal is about is then taken from the settings. */
export async function mendJournal(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  {holder, lockTimeoutMs, signal, warn, onLocked}: Omit<UpkeepRequest, 'settings'>,
): Promise<JournalRepair> {
  const identity = {endpoint: settings.endpoints[0] ?? '', tokenId: readToken(settings.token, env).id}
  const dir = await openStateDirectory(settings.state)
  const lock = await acquireLock(dir, {timeoutMs: lockTimeoutMs, holder, signal, onWait: onLocked})
  try {
    return await repairJournal({disk: systemDisk, dir, identity, clock: systemClock, warn})
  } finally {
    await lock.release()
  }
}
