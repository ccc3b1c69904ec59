// A decision as the audit keeps it.
import type {BoundAction, Decision, Refusal} from '../model/approval.ts'
import type {GateClass} from '../model/plan.ts'
import {actionDigest} from './digests.ts'
import type {Evidence} from './verify-approval.ts'

export interface Decided {
  /** Of a planned action its type; once it is bound, the operation that is signed for. */
  readonly op: string
  readonly vmid: number
  readonly class: GateClass
  readonly bound?: BoundAction
  readonly evidence?: Evidence
  /** Absent: it is allowed. */
  readonly refusal?: Refusal
}

export function describeDecision({op, vmid, class: gateClass, bound, evidence, refusal}: Decided): Decision {
  return {
    op: bound?.op ?? op,
    class: gateClass,
    vmid,
    ...(bound && {action: actionDigest(bound)}),
    signers: [],
    ...evidence,
    ...(refusal
      ? {decision: 'refuse', refusal: refusal.code, message: refusal.message}
      : {decision: 'allow'}),
  }
}
