// Why a trust store is not believed. One kind per rule, so that tests and people can tell which one it was.
import type {Refusal} from '../model/approval.ts'

export type TrustProblemKind =
  | 'missing'
  | 'malformed'
  | 'weak_key'
  | 'duplicate_key'
  | 'threshold'
  | 'role_empty'
  | 'genesis'
  | 'chain'
  | 'bad_signature'
  | 'unsigned'
  | 'not_permitted'
  | 'expired'
  | 'rolled_back'

export interface TrustRefusal extends Refusal {
  readonly code: 'trust_error'
  readonly kind: TrustProblemKind
}

/** Ends the reading of a trust store; loadTrust turns it into a refusal, so it never leaves the gate. */
export class TrustProblem extends Error {
  readonly kind: TrustProblemKind

  constructor(kind: TrustProblemKind, message: string) {
    super(message)
    this.kind = kind
  }
}

export const refuseTrust = (kind: TrustProblemKind, message: string): TrustRefusal => ({
  code: 'trust_error',
  kind,
  message,
})
