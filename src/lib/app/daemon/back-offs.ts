// Guests that keep failing are tried less and less often. What shall be done with a guest is part of what is
// remembered: a change of mind, or of the guest, is tried at once.
import type {BackOff} from '../../model/daemon.ts'
import type {GuestPlan} from '../../model/plan.ts'
import type {ActionResult} from '../../model/run-event.ts'
import type {Settings} from '../../settings/settings.ts'
import {digest} from './tell/matter.ts'
import {isUnseenGuest} from './unseen-guest.ts'

export interface BackOffLimits {
  readonly firstMs: number
  readonly maxMs: number
}

export interface Failing extends BackOff {
  /** How long it was to wait, from its failure on. */
  readonly pauseMs: number
  /** A digest. */
  readonly work: string
}

export class BackOffs {
  readonly #failing = new Map<number, Failing>()

  /** Guests that are remembered, waiting or not. */
  get size(): number {
    return this.#failing.size
  }

  /** Those that wait at this moment, by vmid. */
  waiting(nowMs: number): BackOff[] {
    return [...this.#failing.values()]
      .filter((failing) => isWaiting(failing, nowMs))
      .sort((a, b) => a.guest.vmid - b.guest.vmid)
      .map(({guest, failures, untilMs}) => ({guest, failures, untilMs}))
  }

  all(): readonly Failing[] {
    return [...this.#failing.values()]
  }

  /** As another process has left it. */
  restore(failing: readonly Failing[]): void {
    for (const one of failing) this.#failing.set(one.guest.vmid, one)
  }

  /** Forgets guests that no longer have anything to do, or something else than what failed, if that was seen. */
  compare(plans: readonly GuestPlan[]): void {
    const byVmid = new Map(plans.map((plan) => [plan.vmid, plan]))
    for (const [vmid, failing] of this.#failing) {
      const plan = byVmid.get(vmid)
      if (plan && isUnseenGuest(plan)) continue
      if (!plan || describeWork(plan) !== failing.work) this.#failing.delete(vmid)
    }
  }

  /** After a pass: `plans` is what was tried. */
  learn(
    plans: readonly GuestPlan[],
    results: readonly ActionResult[],
    nowMs: number,
    limits: BackOffLimits,
  ): void {
    const outcomes = new Map<number, ActionResult[]>()
    for (const result of results) {
      const own = outcomes.get(result.guest.vmid) ?? []
      outcomes.set(result.guest.vmid, [...own, result])
    }
    for (const plan of plans) {
      const own = outcomes.get(plan.vmid) ?? []
      if (own.some(({outcome}) => outcome === 'failed') || isInVain(own)) this.#fail(plan, nowMs, limits)
      else if (own.some(isRestarted)) this.#noteRestart(plan, nowMs, limits)
      else if (own.some(({outcome}) => outcome === 'succeeded' || outcome === 'satisfied'))
        this.#failing.delete(plan.vmid)
    }
  }

  /** What was tried in an earlier pass has failed, as was found out since. */
  fail(plans: readonly GuestPlan[], nowMs: number, limits: BackOffLimits): void {
    for (const plan of plans) this.#fail(plan, nowMs, limits)
  }

  /** The operator wants everything tried now. */
  forgetAll(): void {
    this.#failing.clear()
  }

  /** A restart that is wanted again right after it was made has not brought about what it was for. */
  #noteRestart(plan: GuestPlan, nowMs: number, limits: BackOffLimits): void {
    const {kind, vmid} = plan
    if (this.#failing.get(vmid)?.work === describeWork(plan)) {
      this.#fail(plan, nowMs, limits)
      return
    }
    const work = describeWork({actions: plan.actions.filter(({type}) => type === 'restart')})
    this.#failing.set(vmid, {guest: {kind, vmid}, failures: 0, pauseMs: 0, untilMs: nowMs, work})
  }

  #fail(plan: GuestPlan, nowMs: number, limits: BackOffLimits): void {
    const {kind, vmid} = plan
    const failures = (this.#failing.get(vmid)?.failures ?? 0) + 1
    const pauseMs = pauseAfter(failures, limits)
    this.#failing.set(vmid, {
      ...{guest: {kind, vmid}, failures, pauseMs},
      ...{untilMs: nowMs + pauseMs, work: describeWork(plan)},
    })
  }
}

/** Shut down for something that then was not done. */
const isInVain = (own: readonly ActionResult[]): boolean =>
  own.some(({outcome}) => outcome === 'stale') &&
  own.some(({action, outcome}) => action.type === 'shutdown' && outcome === 'succeeded')

const isRestarted = ({action, outcome}: ActionResult): boolean =>
  action.type === 'restart' && outcome === 'succeeded'

export const limitsOf = ({daemon: {intervalMs, backOffMaxMs}}: Settings): BackOffLimits => ({
  firstMs: intervalMs,
  maxMs: Math.max(intervalMs, backOffMaxMs),
})

export const pauseAfter = (failures: number, {firstMs, maxMs}: BackOffLimits): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30))

/** A clock that was put back makes nobody wait for longer than he had to. */
export const isWaiting = (
  {untilMs, pauseMs}: {readonly untilMs: number; readonly pauseMs: number},
  nowMs: number,
): boolean => untilMs > nowMs && untilMs - nowMs <= pauseMs

/** What is to be done, without what stands in its way at the moment. */
const describeWork = ({actions}: Pick<GuestPlan, 'actions'>): string =>
  digest(JSON.stringify(actions.map((action) => ({...action, blockers: [], needs: []}))))
