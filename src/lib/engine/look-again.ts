// What the guest is like after a request or a task that did not end well: only that tells what happened.
import type {ActualGuest} from '../model/actual.ts'
import {isFelhomError} from '../model/felhom-error.ts'
import type {Intent} from '../model/operation.ts'
import {assessOperation, type Standing} from './assess-operation.ts'
import type {GuestReader} from './ports.ts'

export interface Seen {
  readonly standing: Standing
  readonly guest?: ActualGuest
}

export async function lookAgain(
  intent: Intent,
  reader: Pick<GuestReader, 'readGuest' | 'readSnapshots' | 'isVmidFree'>,
): Promise<Seen> {
  const {body, target} = intent
  if (body.type === 'job') return {standing: 'unknown'}
  try {
    const [guest, snapshots] = await Promise.all([
      reader.readGuest(target),
      body.type === 'snapshot-delete' ? reader.readSnapshots(target) : undefined,
    ])
    return {standing: withoutVacuity(intent, assessOperation(intent, guest, snapshots)), guest}
  } catch (error) {
    if (!isFelhomError(error)) throw error
    if (error.code !== 'guest_missing') return {standing: 'unknown'}
    return {standing: await assessMissing(intent, reader)}
  }
}

/** Not on its node is not yet absent: it may have been moved. */
async function assessMissing(intent: Intent, reader: Pick<GuestReader, 'isVmidFree'>): Promise<Standing> {
  try {
    const isFree = await reader.isVmidFree(intent.target.vmid)
    return isFree ? assessOperation(intent, undefined) : 'unknown'
  } catch (error) {
    if (!isFelhomError(error)) throw error
    return 'unknown'
  }
}

/** A secret cannot be read back: that all else is as wanted does not say that the secret was written. */
function withoutVacuity({body}: Intent, standing: Standing): Standing {
  const holdsSecrets = body.type === 'set-config' && (body.secrets ?? []).length > 0
  return holdsSecrets && standing === 'reached' ? 'unknown' : standing
}
