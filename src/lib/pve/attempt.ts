// Tells errors of one call from errors of the way to Proxmox. Reading a whole cluster can live with the
// former and says so in its result; of the latter one is enough to stop.
import {isFelhomError, type FelhomError} from '../model/felhom-error.ts'
import type {ErrorCode} from '../model/error-codes.ts'

const LOCAL_ERRORS: readonly ErrorCode[] = [
  'forbidden',
  'proxmox_error',
  'parameters_refused',
  'not_implemented',
  'guest_missing',
  'no_quorum',
  'node_unreachable',
  'gateway_timeout',
  'gateway_failed',
  'bad_answer',
]

export type Attempt<T> = {readonly value: T} | {readonly error: FelhomError}

/** The value, or the error if it is one that a reading of the whole can live with. */
export async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return {value: await work()}
  } catch (error) {
    if (isFelhomError(error, ...LOCAL_ERRORS)) return {error}
    throw error
  }
}
