// Marks in a plan what the daemon does not do now: what its mode or the hour withholds, guests that somebody has
// suspended, and those whose last attempt failed. Nothing is taken out: the report shows all of it. Pure.
import type {Withhold} from '../../gate/gate.ts'
import type {BackOff, Suspension} from '../../model/daemon.ts'
import type {Blocker, GuestPlan, Plan} from '../../model/plan.ts'
import {blockTogether} from '../../plan/find-blockers.ts'

export interface Restraints {
  readonly withhold: Withhold
  readonly suspensions: readonly Suspension[]
  readonly backOffs: readonly BackOff[]
}

export const restrainPlan = (plan: Plan, restraints: Restraints): Plan => ({
  ...plan,
  guests: plan.guests.map((guest) => restrainGuest(guest, restraints)),
})

export function restrainGuest(plan: GuestPlan, {withhold, suspensions, backOffs}: Restraints): GuestPlan {
  const whole = [
    ...suspensions.filter((one) => isAbout(one, plan)).map(blockSuspended),
    ...backOffs.filter(({guest}) => guest.vmid === plan.vmid).map(blockBackingOff),
  ]
  const actions = plan.actions.map((action) => {
    const reason = withhold(action, action.class, plan)
    const more: Blocker[] = reason === undefined ? whole : [...whole, {code: 'withheld', message: reason}]
    return more.length === 0 ? action : {...action, blockers: [...action.blockers, ...more]}
  })
  // No shutdown for a destruction that is withheld, no restart for a change that is.
  return {...plan, actions: blockTogether(actions)}
}

/** One clause; undefined: it is not. */
export function whySuspended(
  suspensions: readonly Suspension[],
  guest: Pick<GuestPlan, 'vmid'>,
): string | undefined {
  const found = suspensions.find((one) => isAbout(one, guest))
  return found && describeSuspension(found)
}

const isAbout = ({vmid}: Suspension, guest: Pick<GuestPlan, 'vmid'>): boolean =>
  vmid === 'all' || vmid === guest.vmid

const blockSuspended = (one: Suspension): Blocker => ({code: 'suspended', message: describeSuspension(one)})

function describeSuspension({vmid, by, sinceMs, untilMs, reason}: Suspension): string {
  const whom = vmid === 'all' ? 'the daemon is suspended' : 'the guest is suspended'
  const since = `since ${new Date(sinceMs).toISOString()} by ${by}`
  const until = untilMs === undefined ? '' : ` until ${new Date(untilMs).toISOString()}`
  const why = reason === undefined ? '' : `: ${reason}`
  return `${whom} ${since}${until}${why}`
}

const blockBackingOff = (backOff: BackOff): Blocker => ({
  code: 'backing_off',
  message: describeBackOff(backOff),
})

export const describeBackOff = ({failures, untilMs}: Omit<BackOff, 'guest'>): string =>
  `it came to nothing ${failures === 1 ? 'once' : `${failures} times`} and is tried again ${new Date(untilMs).toISOString()}`
