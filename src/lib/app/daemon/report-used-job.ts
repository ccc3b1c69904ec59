// What became of a job whose nonce is no longer fresh, from our own records alone: after a crash too, and however
// often the job is brought again.
import type {JobResult} from '../../model/daemon.ts'
import type {OperationState} from '../../model/operation.ts'
import type {ActionOutcome} from '../../model/run-event.ts'
import {describeUse} from '../gate-evidence.ts'
import type {OpenState} from '../open-state.ts'

const OUTCOMES: Readonly<Record<OperationState, ActionOutcome>> = {
  started: 'in_flight',
  task_running: 'in_flight',
  quarantined: 'in_flight',
  succeeded: 'succeeded',
  satisfied: 'satisfied',
  failed: 'failed',
  superseded: 'stale',
  abandoned: 'refused',
}

type Used = Pick<JobResult, 'outcome' | 'refusal' | 'detail' | 'operation'>

/** Undefined: it was neither used nor rejected. */
export function reportUsed(
  nonce: string,
  {nonces, journal}: Pick<OpenState, 'nonces' | 'journal'>,
): Used | undefined {
  // The journal may remember what the nonces have dropped since the approval has expired.
  const operation = journal.findByKey(nonce)
  if (operation) return {outcome: OUTCOMES[operation.state], operation: operation.intent.op}
  const state = nonces.state(nonce)
  if (state === 'fresh' && !journal.usedKey(nonce)) return undefined
  if (state === 'rejected')
    return {outcome: 'refused', refusal: 'replay', detail: 'an operator has rejected it'}
  return {outcome: 'refused', refusal: 'replay', detail: describeUse(journal, nonce)}
}
