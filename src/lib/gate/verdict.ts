// What the gate says, and the one thing that its yes is worth: what it let pass, marked as such.
import type {BoundAction, Refusal} from '../model/approval.ts'
import type {GateClass} from '../model/plan.ts'
import type {SignedJob} from './decide-signed.ts'
import type {GateRequest} from './gate-request.ts'
import type {Approved} from './verify-approval.ts'

declare const authorized: unique symbol
/** Only the gate makes one. */
export type AuthorizedAction = GateRequest & {
  readonly class: GateClass
  /** Set for what must never run twice: the nonce of the signature that allows it. */
  readonly key?: string
  readonly [authorized]: true
}

/** A job that no plan holds, allowed by a signature. Only the gate makes one. */
export interface AuthorizedJob {
  readonly bound: BoundAction
  readonly key: string
  readonly [authorized]: true
}

interface Refused {
  readonly allowed: false
  readonly refusal: Refusal
}
export type Verdict = {readonly allowed: true; readonly authorized: AuthorizedAction} | Refused
export type JobVerdict = {readonly allowed: true; readonly authorized: AuthorizedJob} | Refused

declare const weighed: unique symbol
/** What an action counts as, the rules of plugins included. Only the gate makes one. */
export interface Weighed {
  readonly class: GateClass
  /** It loses nothing; what demands a signature for it is this rule of a plugin. */
  readonly raisedBy?: string
  /** A rule that failed lets nothing pass. */
  readonly refusal?: Refusal
  readonly [weighed]: true
}

/** Why nothing more may be begun; undefined: it may. */
export type WhyHalted = () => string | undefined

export interface Gate {
  /**
   * Asks the rules of plugins, which may take seconds: whoever acts on the answer reads the guest again before
   * `authorize`, which then asks nobody. Undefined: there are none. Absent: likewise.
   */
  weigh?(request: GateRequest): Promise<Weighed | undefined>
  /**
   * `whyHalted` is asked right before a signature is used up: where it has an answer nothing is, and this throws
   * interrupted.
   */
  authorize(request: GateRequest, weighed?: Weighed, whyHalted?: WhyHalted): Promise<Verdict>
  /**
   * For what is done ahead of an action, such as the shutdown before a destruction: why the action would be refused
   * now, if it would. Nothing is burned; a refusal is audited, for nobody asks again.
   */
  preview(request: GateRequest): Promise<Refusal | undefined>
}

/** What a signature would have to be for. */
export interface SignatureNeed {
  readonly bound: BoundAction
  /** `sha256:` of it. */
  readonly action: string
  /** `sha256:` of the guest as it is now. */
  readonly observed: string
}

/** What `authorize` would say now; nothing is burned, nothing is audited. */
export interface Inspection {
  readonly class: GateClass
  /** Absent: no signature is needed, or none can allow it. */
  readonly need?: SignatureNeed
  readonly approved?: Approved
  readonly refusal?: Refusal
}

export interface FullGate extends Gate {
  /** Always needs a signature. */
  authorizeJob(job: SignedJob, whyHalted?: WhyHalted): Promise<JobVerdict>
  inspect(request: GateRequest, weighed?: Weighed): Promise<Inspection>
}
