// What is to be done to one guest, and how far it is: the plan as it stands now, what remains of it, what has ended.
import type {ActualGuest} from '../model/actual.ts'
import {FelhomError} from '../model/felhom-error.ts'
import type {GuestAddress} from '../model/guest.ts'
import {identifyGuest, type GuestIdentity} from '../model/identity.ts'
import type {GuestPlan, PlannedAction} from '../model/plan.ts'
import type {ActionResult} from '../model/run-event.ts'
import {actionKey, isSameWork} from './compare-actions.ts'
import type {Ended} from './ended.ts'

const MAX_REPLACEMENTS = 3

export class GuestLane {
  readonly results: ActionResult[] = []
  readonly address: GuestAddress
  #plan: GuestPlan
  #remaining: readonly PlannedAction[]
  #identity: GuestIdentity | undefined
  #isUntouched = true
  #mustPlanAgain = false
  #races = 0
  #replacements = 0
  /** What has ended already: a new plan may name it once more. */
  readonly #done = new Set<string>()

  constructor(plan: GuestPlan) {
    const {kind, vmid, node} = plan
    if (node === undefined)
      throw new FelhomError('unexpected', `${kind}/${String(vmid)} has actions and no node`)
    this.#plan = plan
    this.#remaining = plan.actions
    this.address = {kind, vmid, node}
  }

  get plan(): GuestPlan {
    return this.#plan
  }

  get next(): PlannedAction | undefined {
    return this.#remaining[0]
  }

  get remaining(): readonly PlannedAction[] {
    return this.#remaining
  }

  /** Nothing of ours has been written since the plan's reading: its digest must still be the guest's. */
  isAsRead({config}: ActualGuest): boolean {
    const {liveDigest} = this.#plan
    return this.#isUntouched && config.known && config.digest === liveDigest
  }

  mustPlanAgain(guest: ActualGuest): boolean {
    const isKnown = this.#plan.liveDigest !== undefined
    return this.#mustPlanAgain || (this.#isUntouched && isKnown && !this.isAsRead(guest))
  }

  /**
   * Once it is known who the guest is, it must remain the same: numbers are used again. Our own writes may change
   * some of its ids; a guest that shares none of them is another.
   */
  isSameGuest({config}: ActualGuest): boolean {
    const ids = this.#identity?.ids ?? []
    if (!config.known || ids.length === 0) return true
    return identifyGuest(this.address, config.current).ids.some((id) => ids.includes(id))
  }

  recognise({config}: ActualGuest): void {
    if (config.known) this.#identity = identifyGuest(this.address, config.current)
  }

  isSameAs(plan: GuestPlan): boolean {
    return isSameWork(this.#restOf(plan), this.#remaining)
  }

  /** False: it has been replaced too often, somebody else is at work on this guest. */
  replace(plan: GuestPlan): boolean {
    this.#replacements++
    this.#adopt(plan, this.#restOf(plan))
    return this.#replacements <= MAX_REPLACEMENTS
  }

  /** A new plan that has nothing left to do: all that remains has come about. */
  isFulfilledBy(plan: GuestPlan): boolean {
    return this.#restOf(plan).length === 0
  }

  /** After its creation a guest is planned as any other that exists. */
  begin(plan: GuestPlan, first: readonly PlannedAction[]): void {
    this.#done.clear()
    this.#adopt(plan, [...first, ...plan.actions])
  }

  /** True the first time: then it is worth another try. */
  noteRace(): boolean {
    this.#mustPlanAgain = true
    this.#races++
    return this.#races === 1
  }

  end(action: PlannedAction, how: Ended): ActionResult {
    const result = this.describe(action, how)
    this.results.push(result)
    this.#done.add(actionKey(action))
    this.#remaining = this.#remaining.filter((one) => one !== action)
    if (how.op !== undefined) this.#isUntouched = false
    return result
  }

  describe(action: PlannedAction, {outcome, detail, op, upid, refusal}: Ended): ActionResult {
    const {kind, vmid, node} = this.address
    return {
      guest: {kind, vmid},
      node,
      name: this.#plan.name,
      action,
      outcome,
      ...(op !== undefined && {op}),
      ...(detail !== undefined && {detail}),
      ...(upid !== undefined && {upid}),
      ...(refusal !== undefined && {refusal}),
    }
  }

  #adopt(plan: GuestPlan, remaining: readonly PlannedAction[]): void {
    this.#plan = plan
    this.#remaining = remaining
    this.#isUntouched = true
    this.#mustPlanAgain = false
  }

  #restOf(plan: GuestPlan): PlannedAction[] {
    return plan.actions.filter((action) => !this.#done.has(actionKey(action)))
  }
}
