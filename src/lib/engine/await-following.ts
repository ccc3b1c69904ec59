// Tasks that only ask: of a guest under the HA manager a power request ends at once, and the state follows when the
// manager comes round to it; a machine that reboots is stopped by its task and started again by the event daemon.
// Its reading may fail in between; that is no reason to give up.
import type {ActualGuest} from '../model/actual.ts'
import {isFelhomError} from '../model/felhom-error.ts'
import type {GuestAddress} from '../model/guest.ts'
import type {Intent} from '../model/operation.ts'
import type {Upid} from '../model/upid.ts'
import {assessOperation} from './assess-operation.ts'
import type {Clock, GuestReader} from './ports.ts'

/** Whether somebody else does the rest once the task has ended. */
export const isHandedOn = ({type}: Upid): boolean => /^(?:ha(?:start|stop)|qmreboot)/.test(type)

const MIN_INTERVAL_MS = 250
const MAX_INTERVAL_MS = 5_000
const SHARE_OF_AGE = 0.1

/** True as soon as the guest is as asked for; false: not within the time. */
export function awaitFollowing(
  intent: Intent,
  reader: Pick<GuestReader, 'readGuest'>,
  clock: Clock,
  timeoutMs: number,
): Promise<boolean> {
  const isReached = (guest: ActualGuest): boolean => assessOperation(intent, guest) === 'reached'
  return awaitGuest(intent.target, isReached, reader, clock, timeoutMs)
}

/** Once the reboot of a machine has ended, another task starts it again, and may fail. */
export function awaitReturn(
  {target}: Intent,
  reader: Pick<GuestReader, 'readGuest'>,
  clock: Clock,
): Promise<boolean> {
  return awaitGuest(target, ({run}) => run === 'running', reader, clock, RETURN_MS)
}

const RETURN_MS = 60_000

async function awaitGuest(
  target: GuestAddress,
  isSo: (guest: ActualGuest) => boolean,
  reader: Pick<GuestReader, 'readGuest'>,
  clock: Clock,
  timeoutMs: number,
): Promise<boolean> {
  const startMs = clock.now()
  for (;;) {
    const guest = await tryToRead(target, reader)
    if (guest && isSo(guest)) return true
    const ageMs = clock.now() - startMs
    if (ageMs >= timeoutMs) return false
    const pauseMs = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, ageMs * SHARE_OF_AGE))
    await clock.sleep(Math.min(pauseMs, timeoutMs - ageMs))
  }
}

async function tryToRead(
  target: GuestAddress,
  reader: Pick<GuestReader, 'readGuest'>,
): Promise<ActualGuest | undefined> {
  try {
    return await reader.readGuest(target)
  } catch (error) {
    if (!isFelhomError(error)) throw error
    return undefined
  }
}
