// Tasks that only ask: of a guest under the HA manager a power request ends at once, and the state follows when the
// manager comes round to it; a machine that reboots is stopped by its task and started again by the event daemon.
// Its reading may fail in between; that is no reason to give up.
import {isFelhomError} from '../model/felhom-error.ts'
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
export async function awaitFollowing(
  intent: Intent,
  reader: Pick<GuestReader, 'readGuest'>,
  clock: Clock,
  timeoutMs: number,
): Promise<boolean> {
  const startMs = clock.now()
  for (;;) {
    if (await isReached(intent, reader)) return true
    const ageMs = clock.now() - startMs
    if (ageMs >= timeoutMs) return false
    const pauseMs = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, ageMs * SHARE_OF_AGE))
    await clock.sleep(Math.min(pauseMs, timeoutMs - ageMs))
  }
}

async function isReached(intent: Intent, reader: Pick<GuestReader, 'readGuest'>): Promise<boolean> {
  try {
    return assessOperation(intent, await reader.readGuest(intent.target)) === 'reached'
  } catch (error) {
    if (!isFelhomError(error)) throw error
    return false
  }
}
