// May this happen? It knows what an action can lose and whose signature may allow that; it touches only its ports; and
// it guarantees that only what it let pass becomes an AuthorizedAction, the one thing the engine carries out: if it can
// lose data, under a signature for this action on this guest as it is now, with its nonce burned and its audit on disk.
import type {Refusal} from '../model/approval.ts'
import {FelhomError} from '../model/felhom-error.ts'
import type {GateClass, PlannedAction} from '../model/plan.ts'
import {bindAction, type Unsupported} from './bind-action.ts'
import {burnApproval, moveMarks} from './burn-approval.ts'
import {applyRules, classifyAction, type ClassRule} from './classify.ts'
import {decideSigned, type SignedDecision, type SignedJob, type Signing} from './decide-signed.ts'
import {describeDecision, type Decided} from './describe-decision.ts'
import {actionDigest} from './digests.ts'
import type {GateRequest} from './gate-request.ts'
import {observeGuest} from './observe-guest.ts'
import type {AuditSink, Provenance} from './ports.ts'
import {DISARMED, describeDemand, LIMIT_REACHED, noSigners, unsupported, withheld} from './refusals.ts'
import type {
  AuthorizedAction,
  AuthorizedJob,
  FullGate,
  Inspection,
  JobVerdict,
  Verdict,
  Weighed,
  WhyHalted,
} from './verdict.ts'
import type {Approved} from './verify-approval.ts'

export type {
  AuthorizedAction,
  AuthorizedJob,
  FullGate,
  Gate,
  Inspection,
  JobVerdict,
  SignatureNeed,
  Verdict,
  Weighed,
  WhyHalted,
} from './verdict.ts'
export type {GateRequest, Refusal, SignedJob, Signing}

export type Withhold = (
  action: Pick<PlannedAction, 'type' | 'impact'>,
  gateClass: GateClass,
  target: Pick<GateRequest['target'], 'vmid'>,
) => string | undefined

export interface GateOptions {
  readonly provenance?: Provenance
  /** Of plugins: they raise a class, never lower it. */
  readonly rules?: readonly ClassRule[]
  readonly audit?: AuditSink
  /** Tasks of our token that the journal does not know. */
  readonly disarmed?: () => readonly string[]
  /**
   * Why this may not be done now, whatever is signed: what a daemon is not set to do, or not at this hour, or not with
   * this guest. Asked when the action is about to begin. One clause; undefined: it may.
   */
  readonly withhold?: Withhold
  /** How many guests may be destroyed through this gate; absent: any number. */
  readonly maxDestroy?: number
  /** Absent: no signer is pinned, and nobody can allow what can lose data. */
  readonly signing?: Signing
}

type Asked = Pick<Decided, 'op' | 'vmid' | 'class'> & Pick<Weighed, 'raisedBy'>

const GOING_ON: WhyHalted = () => undefined

export const createGate = (options: GateOptions = {}): FullGate => new ReversibilityGate(options)

class ReversibilityGate implements FullGate {
  readonly #options: GateOptions
  /** Guests that are destroyed, or about to be. */
  readonly #destroyed = new Set<number>()

  constructor(options: GateOptions) {
    this.#options = options
  }

  async weigh(request: GateRequest): Promise<Weighed | undefined> {
    return (this.#options.rules ?? []).length === 0 ? undefined : this.#weigh(request)
  }

  async authorize(
    request: GateRequest,
    weighed?: Weighed,
    whyHalted: WhyHalted = GOING_ON,
  ): Promise<Verdict> {
    const asked = describe(request, weighed ?? (await this.#weigh(request)))
    if ('refusal' in asked) return {allowed: false, ...(await this.#refuse(asked))}
    const findWithheld = (): Refusal | undefined => this.#findWithheld(request, asked)
    const refusal = findWithheld()
    if (refusal) return {allowed: false, ...(await this.#refuse({...asked, refusal}))}
    const answer =
      asked.class === 'benign'
        ? await this.#allowBenign(asked)
        : await this.#allowSigned(this.#toJob(request), asked, whyHalted, findWithheld)
    if ('refusal' in answer) return {allowed: false, refusal: answer.refusal}
    return {allowed: true, authorized: {...request, class: asked.class, ...answer} as AuthorizedAction}
  }

  async preview(request: GateRequest): Promise<Refusal | undefined> {
    const asked = describe(request, await this.#weigh(request))
    if ('refusal' in asked) return (await this.#refuse(asked)).refusal
    const held = this.#findWithheld(request, asked)
    if (held) return (await this.#refuse({...asked, refusal: held})).refusal
    const job = asked.class === 'benign' ? undefined : this.#toJob(request)
    const decision = job && (await this.#decide(job, asked))
    const refusal = decision && 'refusal' in decision ? decision.refusal : this.#findLimit(request)
    if (!refusal) return undefined
    const bound = job && 'bound' in job ? {bound: job.bound} : {}
    const evidence = decision?.evidence ? {evidence: decision.evidence} : {}
    return (await this.#refuse({...asked, ...bound, ...evidence, refusal})).refusal
  }

  async authorizeJob(job: SignedJob, whyHalted: WhyHalted = GOING_ON): Promise<JobVerdict> {
    const {op, target} = job.bound
    const answer = await this.#allowSigned(job, {op, vmid: target.vmid, class: 'destructive'}, whyHalted)
    if ('refusal' in answer) return {allowed: false, refusal: answer.refusal}
    return {allowed: true, authorized: {bound: job.bound, ...answer} as AuthorizedJob}
  }

  async inspect(request: GateRequest, weighed?: Weighed): Promise<Inspection> {
    const asked = describe(request, weighed ?? (await this.#weigh(request)))
    if ('refusal' in asked) return {class: asked.class, refusal: asked.refusal}
    const gateClass = asked.class
    if (gateClass === 'benign') return {class: gateClass}
    const job = this.#toJob(request)
    if ('unsupported' in job || !this.#options.signing)
      return {class: gateClass, ...pick(await this.#decide(job, asked))}
    const {bound} = job
    const observed = await job.observe()
    const need = {bound, action: actionDigest(bound), observed}
    return {
      class: gateClass,
      need,
      ...pick(await this.#decide({bound, observe: () => Promise.resolve(observed)}, asked)),
    }
  }

  /** What cannot be weighed is destructive, and refused until it can be. */
  async #weigh(request: GateRequest): Promise<Weighed> {
    const own = classifyAction(request, this.#options)
    try {
      return (await applyRules(own, this.#options.rules ?? [], request)) as Weighed
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return {class: 'destructive', refusal: {code: 'rule_failed', message}} as Weighed
    }
  }

  #toJob({action, target, guest}: GateRequest): SignedJob | Unsupported {
    const bound = bindAction(action, target, guest)
    if ('unsupported' in bound) return bound
    const observe = async (): Promise<string> => {
      const snapshots = await this.#options.signing?.snapshots.readSnapshots(target)
      if (!guest || !snapshots) throw new FelhomError('unexpected', 'there is nothing to observe')
      return observeGuest(guest, snapshots)
    }
    return {bound, observe}
  }

  async #allowBenign(asked: Decided): Promise<{refusal: Refusal} | {key?: never}> {
    if (asked.op === 'destroy' && !this.#takeDestroy(asked.vmid))
      return this.#refuse({...asked, refusal: LIMIT_REACHED})
    return (await this.#auditAllowed(asked)) ?? {}
  }

  /** The steps 1 to 15; the caller goes on with `started` and the request. */
  async #allowSigned(
    job: SignedJob | Unsupported,
    asked: Asked,
    whyHalted: WhyHalted,
    findWithheld: () => Refusal | undefined = () => undefined,
  ): Promise<{refusal: Refusal} | {key: string}> {
    const {signing} = this.#options
    const decision = await this.#decide(job, asked)
    const {evidence} = decision
    const decided = {...asked, ...('bound' in job && {bound: job.bound}), ...(evidence && {evidence})}
    const unmarked = signing && (await moveMarks(decision, signing))
    if ('refusal' in decision) return this.#refuse({...decided, refusal: decision.refusal})
    const {approved} = decision
    const halted = whyHalted()
    if (halted !== undefined) throw new FelhomError('interrupted', halted)
    // Once more: what had to be read for the decision may have taken long, and somebody may have meant it to stop.
    const refusal = unmarked ?? findWithheld() ?? (await this.#burn(decided, approved))
    if (refusal) return this.#refuse({...decided, refusal})
    return (await this.#auditAllowed(decided)) ?? {key: approved.statement.nonce}
  }

  /** Without any effect, so that it can be asked beforehand. */
  async #decide(job: SignedJob | Unsupported, {raisedBy}: Asked): Promise<SignedDecision> {
    const {disarmed, signing} = this.#options
    if (disarmed && disarmed().length > 0) return {seen: {}, refusal: DISARMED}
    if ('unsupported' in job) return {seen: {}, refusal: unsupported(job, raisedBy)}
    const demand = describeDemand(job, raisedBy)
    return signing ? decideSigned(job, signing, demand) : {seen: {}, refusal: noSigners(demand)}
  }

  async #burn({bound}: Decided, approved: Approved): Promise<Refusal | undefined> {
    const {signing, audit} = this.#options
    if (!signing || !audit) return noSigners('it would be burned and audited nowhere')
    if (bound?.op === 'guest.destroy' && !this.#takeDestroy(bound.target.vmid)) return LIMIT_REACHED
    return burnApproval(approved, signing)
  }

  #findWithheld({action, target}: GateRequest, asked: Asked): Refusal | undefined {
    const why = this.#options.withhold?.(action, asked.class, target)
    return why === undefined ? undefined : withheld(why)
  }

  #findLimit({action, target}: GateRequest): Refusal | undefined {
    return action.type === 'destroy' && !this.#takeDestroy(target.vmid) ? LIMIT_REACHED : undefined
  }

  /** A place for each guest, taken before anything is awaited: guests are destroyed side by side. */
  #takeDestroy(vmid: number): boolean {
    const {maxDestroy = Infinity} = this.#options
    if (!this.#destroyed.has(vmid) && this.#destroyed.size >= maxDestroy) return false
    this.#destroyed.add(vmid)
    return true
  }

  /** It stays refused, whether or not the audit can be kept. */
  async #refuse(decided: Decided & {readonly refusal: Refusal}): Promise<{refusal: Refusal}> {
    await this.#options.audit?.append(describeDecision(decided)).catch(() => undefined)
    return {refusal: decided.refusal}
  }

  /** What is not in the audit does not happen; a nonce that is burned by now stays so. */
  async #auditAllowed(decided: Decided): Promise<{refusal: Refusal} | undefined> {
    try {
      await this.#options.audit?.append(describeDecision(decided))
      return undefined
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return {refusal: {code: 'internal_error', message: `the decision could not be audited: ${reason}`}}
    }
  }
}

function describe(
  {action, target}: GateRequest,
  weighed: Weighed,
): Asked | (Asked & {readonly refusal: Refusal}) {
  return {op: action.type, vmid: target.vmid, ...weighed}
}

const pick = (decision: SignedDecision): Pick<Inspection, 'approved' | 'refusal'> =>
  'approved' in decision ? {approved: decision.approved} : {refusal: decision.refusal}
