// What an operator allows with a signature, and what the gate says to it: nouns that the gate decides with, the
// audit keeps and reports show.
import type {GateClass} from './plan.ts'

export const SIGNED_OPERATIONS = [
  /** Of what loses nothing, where a rule of a plugin wants a signature. */
  'guest.change',
  'guest.destroy',
  'guest.restore_over',
  'guest.template',
  'guest.unprotect',
  'snapshot.delete',
  'snapshot.rollback',
  'volume.detach',
  'volume.remove',
  'volume.move_delete',
  'storage.wipe',
  'host.decommission',
  'trust.rotate_operational',
  'trust.rotate_recovery',
] as const
export type SignedOperation = (typeof SIGNED_OPERATIONS)[number]

export type Role = 'operational' | 'recovery'

export type CanonicalValue =
  string | number | boolean | null | readonly CanonicalValue[] | {readonly [key: string]: CanonicalValue}

export interface StatementTarget {
  readonly kind: string
  readonly node: string
  readonly vmid: number
  /** `sha256:` of who the guest is: a number may be used again. */
  readonly identity: string
}

/** What is to be done, in the words that a signature is bound to. */
export interface BoundAction {
  readonly op: SignedOperation
  readonly target: StatementTarget
  readonly params: Readonly<Record<string, CanonicalValue>>
}

/** As a statement names it. A number written as text is told apart, so that it can be refused for what it is. */
export interface ClaimedTarget extends Omit<StatementTarget, 'vmid'> {
  readonly vmid: number | string
}

/** What an operator signs; times are epoch milliseconds of whole seconds. */
export interface Statement extends Omit<BoundAction, 'target'> {
  readonly target: ClaimedTarget
  /** The installation that it is for. */
  readonly host: string
  /** `sha256:` of op, params and target. */
  readonly action: string
  /** `sha256:` of config, snapshots and lock as they were read. */
  readonly observed: string
  readonly nonce: string
  readonly iatMs: number
  readonly expMs: number
  readonly nbfMs?: number
  /** Version of the trust store that it was made under. */
  readonly trust: number
  readonly reason: string
}

/** The exact signed bytes, and armoured signatures over them. */
export interface Envelope {
  readonly payload: Uint8Array
  readonly signatures: readonly string[]
}

export type RefusalCode =
  | 'pending_signature'
  | 'clock_error'
  | 'trust_error'
  | 'malformed'
  | 'unknown_signer'
  | 'wrong_namespace'
  | 'bad_signature'
  | 'expired'
  | 'wrong_host'
  | 'replay'
  | 'role_denied'
  | 'binding_mismatch'
  | 'store_error'
  | 'internal_error'
  | 'disarmed'
  | 'limit_reached'
  | 'rule_failed'
  | 'withheld'

export interface Refusal {
  readonly code: RefusalCode
  /** One sentence. */
  readonly message: string
  /** People who signed validly, and how many are needed, where that is known. */
  readonly signed?: {readonly people: number; readonly needed: number}
}

/** Who signed, as the audit keeps it. */
export interface SignerName {
  readonly principal: string
  /** SHA256:… as ssh-keygen prints it. */
  readonly fingerprint: string
}

/** One decision of the gate, as the audit keeps it. */
export interface Decision {
  readonly op: string
  readonly class: GateClass
  readonly vmid?: number
  /** `sha256:…` of the action; absent for what needs no signature. */
  readonly action?: string
  /** `sha256:…` of the signed bytes. */
  readonly statement?: string
  readonly nonce?: string
  readonly signers: readonly SignerName[]
  readonly decision: 'allow' | 'refuse'
  readonly refusal?: RefusalCode
  readonly message?: string
}
