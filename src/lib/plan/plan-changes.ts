// The planner: desired state and live state in, plan out. It is a pure function and touches nothing. It changes
// only guests that are on both sides, only options that were written, and never takes "not in the list" for
// "not there" unless the list is known to be whole.
import type {ActualCluster, ActualGuest} from '../model/actual.ts'
import type {DesiredGuest, DesiredState} from '../model/desired.ts'
import type {GuestPlan, Plan, PlanProblem} from '../model/plan.ts'
import {blockActions, blockTogether, type Circumstances, type Held} from './find-blockers.ts'
import {holdCopied} from './hold-copied.ts'
import {planAbsence} from './plan-absence.ts'
import {planCreation} from './plan-creation.ts'
import {planUpdate} from './plan-update.ts'
import type {SettledGuests} from './settled-guests.ts'

export interface PlanContext {
  /** What the token may do, if that is known: an action that lacks a privilege says so. */
  readonly held?: Held
  /** Every guest of the desired state, where `desired` holds only some of them: the others are not unmanaged. */
  readonly managed?: ReadonlySet<number>
  /** Of those who plan again and again; written to. */
  readonly settled?: SettledGuests
}

export function planChanges(desired: DesiredState, actual: ActualCluster, context: PlanContext = {}): Plan {
  const live = new Map(actual.guests.map((guest) => [guest.vmid, guest]))
  const plans = holdCopied(
    desired.guests.map((guest) => planOrRecall(guest, live.get(guest.vmid), actual, context)),
  )
  const managed = context.managed ?? new Set(desired.guests.map((guest) => guest.vmid))
  const relevant = plans.filter((plan) => plan.actions.length > 0 || plan.problems.length > 0)
  return {
    guests: relevant.sort((a, b) => a.vmid - b.vmid),
    unmanaged: actual.guests.filter((guest) => !managed.has(guest.vmid)).length,
    unchanged: plans.length - relevant.length,
    problems: clusterProblems(actual),
  }
}

function planOrRecall(
  desired: DesiredGuest,
  guest: ActualGuest | undefined,
  cluster: ActualCluster,
  context: PlanContext,
): GuestPlan {
  const {settled} = context
  const known = guest && settled?.recall(desired, guest)
  if (known) return known
  const plan = planGuest(desired, guest, cluster, context)
  if (guest) settled?.keep(desired, guest, plan)
  return plan
}

/** Of one guest, with no actions if it is as desired. `cluster` says what holds for all; its guests are not looked at. */
export function planGuest(
  desired: DesiredGuest,
  guest: ActualGuest | undefined,
  cluster: ActualCluster,
  {held}: PlanContext = {},
): GuestPlan {
  const plan = guest ? planExisting(desired, guest) : planMissing(desired, cluster)
  const circumstances: Circumstances = {cluster, guest, held}
  const blocked = plan.actions.map((action) => blockActions(action, plan, circumstances))
  return {...plan, actions: blockTogether(blocked)}
}

function planExisting(desired: DesiredGuest, guest: ActualGuest): GuestPlan {
  const base = describeExisting(guest)
  if (desired.kind !== guest.kind) {
    return {...base, problems: [wrongKind(desired, guest)]}
  }
  return desired.ensure === 'absent' ? planAbsence(desired, guest, base) : planUpdate(desired, guest, base)
}

function planMissing(desired: DesiredGuest, cluster: ActualCluster): GuestPlan {
  const base: GuestPlan = {
    kind: desired.kind,
    vmid: desired.vmid,
    name: undefined,
    node: undefined,
    exists: false,
    run: 'unknown',
    liveDigest: undefined,
    actions: [],
    unchangedOptions: 0,
    problems: [],
  }
  if (!cluster.completeness.complete) return {...base, problems: [unproved(desired)]}
  return desired.ensure === 'absent' ? base : planCreation(desired, cluster, base)
}

export function describeExisting(guest: ActualGuest): GuestPlan {
  return {
    kind: guest.kind,
    vmid: guest.vmid,
    name: guest.name,
    node: guest.node,
    exists: true,
    run: guest.run,
    liveDigest: guest.config.known ? guest.config.digest : undefined,
    actions: [],
    unchangedOptions: 0,
    problems: [],
  }
}

function wrongKind(desired: DesiredGuest, guest: ActualGuest): PlanProblem {
  return {
    code: 'kind_mismatch',
    severity: 'error',
    message: `${desired.kind}/${desired.vmid} is desired, but ${guest.vmid} is ${guest.kind === 'lxc' ? 'a container' : 'a virtual machine'} on ${guest.node}`,
    place: desired.place,
  }
}

/** An empty or filtered list must never create a second guest, nor count as a destroyed one. */
function unproved(desired: DesiredGuest): PlanProblem {
  return {
    code: 'absence_unproved',
    severity: 'error',
    message: `${desired.kind}/${desired.vmid} was not seen, but the list of guests is not complete: it may exist`,
    place: desired.place,
  }
}

function clusterProblems(actual: ActualCluster): PlanProblem[] {
  const problems: PlanProblem[] = actual.completeness.complete
    ? []
    : actual.completeness.reasons.map(({code, message}) => ({code, severity: 'warning', message}))
  if (actual.quorum === 'lost') {
    problems.push({
      code: 'no_quorum',
      severity: 'warning',
      message: 'the cluster has no quorum: it takes no changes',
    })
  }
  return problems
}
