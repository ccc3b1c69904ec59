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

/** How the guest was last seen: as asked for, otherwise, or not at all. */
export type Followed = 'yes' | 'no' | 'unknown'

/** A machine that reboots has only to run again; a value that still waits then is no reason to wait with it. */
export async function awaitFollowing(
  intent: Intent,
  reader: Pick<GuestReader, 'readGuest'>,
  clock: Clock,
  timeoutMs: number,
): Promise<Followed> {
  const startMs = clock.now()
  let sleptMs = 0
  for (;;) {
    const guest = await tryToRead(intent.target, reader)
    if (guest && hasFollowed(intent, guest)) return 'yes'
    // The clock may be put back meanwhile: what was slept counts too.
    const ageMs = Math.max(sleptMs, clock.now() - startMs)
    if (ageMs >= timeoutMs) return guest ? 'no' : 'unknown'
    const wantedMs = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, ageMs * SHARE_OF_AGE))
    const pauseMs = Math.min(wantedMs, timeoutMs - ageMs)
    await clock.sleep(pauseMs)
    sleptMs += pauseMs
  }
}

function hasFollowed(intent: Intent, guest: ActualGuest): boolean {
  if (intent.body.type === 'restart') return guest.run === 'running'
  return assessOperation(intent, guest) === 'reached'
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
