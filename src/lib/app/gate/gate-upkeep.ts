// What the operator does to the gate's own records, under the lock: to take an approval back, and to set the clock's
// mark after a wrong clock was mended. Both are audited.
import {userInfo} from 'node:os'
import {FelhomError} from '../../model/felhom-error.ts'
import {readNonces} from '../../store/nonces/read-nonces.ts'
import {systemDisk} from '../../store/system-disk.ts'
import type {ApprovalDocument} from './gate-documents.ts'
import type {UpkeepRequest} from '../journal/journal-upkeep.ts'
import {withGateStores, type LockRequest} from '../state/open-state.ts'

/** For ever: a nonce that was rejected is never fresh again. */
export function rejectApproval(
  request: UpkeepRequest,
  {statement: {nonce, action, expMs}, digest}: ApprovalDocument,
  reason: string,
): Promise<void> {
  return withGateStores(toLock(request), async ({nonces, audit}) => {
    // Rejected before it is told: if the audit cannot be kept, the approval is void all the same.
    await nonces.reject(nonce, {statement: digest, expMs, reason})
    await audit.note({
      type: 'approval_rejected',
      nonce,
      statement: digest,
      action,
      reason,
      by: operatorName(),
    })
  })
}

export async function readClockMark({settings}: Pick<UpkeepRequest, 'settings'>): Promise<number> {
  const {clockMarkMs} = await readNonces({disk: systemDisk, dir: settings.state})
  return clockMarkMs
}

/** `seenMs`: the mark that the operator was shown. The audit first: what is not in it has not happened. */
export function resetClockMark(request: UpkeepRequest, seenMs: number, toMs: number): Promise<void> {
  return withGateStores(toLock(request), async ({nonces, audit}) => {
    if (nonces.clockMarkMs !== seenMs)
      throw new FelhomError('declined', 'the mark has moved since it was shown', {
        hint: 'Look at it again with: felhom gate clock reset',
        doubt: 'Nothing was changed.',
      })
    const by = operatorName()
    await audit.note({type: 'clock_reset', fromMs: seenMs, toMs, by})
    await nonces.resetClock(toMs, by)
  })
}

export const toLock = ({settings, onLocked, ...request}: UpkeepRequest): LockRequest => ({
  ...request,
  dir: settings.state,
  onWait: onLocked,
})

/** As the system names whoever runs this: a hint for people, proof of nothing. */
function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return 'operator'
  }
}
