// May this happen? It knows what an action can lose, touches nothing, and guarantees that only what it let pass
// becomes an AuthorizedAction, the one thing the engine carries out.
import type {Refusal} from '../model/approval.ts'
import type {GateClass} from '../model/plan.ts'
import {classifyAction} from './classify.ts'
import type {GateRequest} from './gate-request.ts'

export type {GateRequest, Refusal}

declare const authorized: unique symbol
/** Only the gate makes one. */
export type AuthorizedAction = GateRequest & {
  readonly class: GateClass
  /** Set for what must never run twice: the nonce of the signature that allows it. */
  readonly key?: string
  readonly [authorized]: true
}

export type Verdict =
  | {readonly allowed: true; readonly authorized: AuthorizedAction}
  | {readonly allowed: false; readonly refusal: Refusal}

export interface Gate {
  authorize(request: GateRequest): Promise<Verdict>
}

/** With no signers pinned there is nobody who could allow what can lose data. */
export function createGate(): Gate {
  return {authorize: (request) => Promise.resolve(decide(request))}
}

function decide(request: GateRequest): Verdict {
  const actionClass = classifyAction(request)
  if (actionClass === 'benign') {
    return {allowed: true, authorized: {...request, class: actionClass} as AuthorizedAction}
  }
  const message = "it can lose data and needs an operator's signature; no signer is pinned"
  return {allowed: false, refusal: {code: 'pending_signature', message}}
}
