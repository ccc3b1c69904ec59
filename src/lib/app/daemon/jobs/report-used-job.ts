// What became of a job whose nonce is no longer fresh, from our own records alone: after a crash too, and however
// often the job is brought again.
import type {Statement} from '../../../model/approval.ts'
import type {JobResult} from '../../../model/daemon.ts'
import type {Intent, OperationState} from '../../../model/operation.ts'
import type {ActionOutcome} from '../../../model/run-event.ts'
import {describeUse} from '../../gate/gate-evidence.ts'
import type {OpenState} from '../../state/open-state.ts'

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

const USED = 'its number was used, for this job or another; felhom journal list tells what came of that'

type Claim = Pick<Statement, 'nonce' | 'op' | 'params' | 'target'>
type Used = Pick<JobResult, 'outcome' | 'refusal' | 'detail' | 'operation'>

/** Undefined: it was neither used nor rejected. The statement is what somebody says, signed or not. */
export function reportUsed(
  statement: Claim,
  {nonces, journal}: Pick<OpenState, 'nonces' | 'journal'>,
): Used | undefined {
  const {nonce} = statement
  // The journal may remember what the nonces have dropped since the approval has expired.
  const operation = journal.findByKey(nonce)
  if (operation) {
    const {op} = operation.intent
    return isAbout(operation.intent, statement)
      ? {outcome: OUTCOMES[operation.state], operation: op}
      : {outcome: 'refused', refusal: 'binding_mismatch', detail: `its number was used for another, ${op}`}
  }
  const state = nonces.state(nonce)
  if (state === 'fresh' && !journal.usedKey(nonce)) return undefined
  if (state === 'rejected')
    return {outcome: 'refused', refusal: 'replay', detail: 'an operator has rejected it'}
  // The operation itself is forgotten: whether it was for this guest nobody can tell any more.
  const detail = journal.usedKey(nonce) ? USED : describeUse(journal, nonce)
  return {outcome: 'refused', refusal: 'replay', detail}
}

/** Whoever knows a number that was used could else have its outcome told of any guest. */
function isAbout({target, body}: Intent, {op, params, target: claimed}: Claim): boolean {
  if (claimed.kind !== target.kind || claimed.vmid !== target.vmid) return false
  switch (body.type) {
    case 'destroy':
      return op === 'guest.destroy'
    case 'snapshot-delete':
      return op === 'snapshot.delete' && params['snapshot'] === body.snapshot
    case 'snapshot-rollback':
      return op === 'snapshot.rollback' && params['snapshot'] === body.snapshot
    case 'set-config':
      return (
        (op === 'volume.detach' || op === 'volume.remove') &&
        body.delete.some((option) => option === params['option'])
      )
    case 'job':
      return op === body.job
    default:
      return false
  }
}
