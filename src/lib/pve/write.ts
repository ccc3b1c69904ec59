// The one way to change something. An operation is one request, made from what the journal has on disk; it leaves
// at most once, and what is thrown says whether Proxmox can have carried it out.
import {DispatchError, type Executed} from '../model/dispatch-error.ts'
import {FelhomError} from '../model/felhom-error.ts'
import type {JournaledIntent} from '../model/operation.ts'
import type {Upid} from '../model/upid.ts'
import {readDispatched} from './answers.ts'
import type {WriteConnection} from './connection.ts'
import {makeRequest} from './write-request.ts'
import type {Secrets} from './write-params.ts'

/** A task is no success: it has to be awaited, and must end in OK or WARNINGS. */
export type Dispatched = {readonly kind: 'task'; readonly upid: Upid} | {readonly kind: 'done'}

export interface Writer {
  dispatch(intent: JournaledIntent, secrets?: Secrets): Promise<Dispatched>
}

export function createWriter(connection: WriteConnection): Writer {
  return {
    async dispatch(intent, secrets = {}) {
      const mutation = asDispatchError('no', () => makeRequest(intent, secrets))
      const {data} = await connection.mutate(mutation)
      return asDispatchError('ambiguous', () => {
        const upid = readDispatched(data)
        return upid ? {kind: 'task', upid} : {kind: 'done'}
      })
    },
  }
}

function asDispatchError<T>(executed: Executed, step: () => T): T {
  try {
    return step()
  } catch (cause) {
    if (!(cause instanceof FelhomError)) throw cause
    throw new DispatchError(cause.code, cause.message, executed, {cause})
  }
}
