// What has changed under a saved plan: each guest with steps must be exactly as it was when the plan was made.
import type {ActualCluster, ActualGuest} from '../../model/actual.ts'
import {formatGuestId} from '../../model/guest.ts'
import type {GuestPlan, Plan} from '../../model/plan.ts'

/** One clause per guest that is not as it was; none: the plan holds. */
export function findStale(plan: Plan, actual: ActualCluster): string[] {
  const live = new Map(actual.guests.map((guest) => [guest.vmid, guest]))
  return plan.guests
    .filter(({actions}) => actions.length > 0)
    .flatMap((saved) => {
      const difference = compare(saved, live.get(saved.vmid), actual.completeness.complete)
      return difference === undefined ? [] : [`${formatGuestId(saved)} ${difference}`]
    })
}

function compare(saved: GuestPlan, live: ActualGuest | undefined, isComplete: boolean): string | undefined {
  if (!live) {
    if (!isComplete) return 'was not seen in a list of guests that is not complete'
    return saved.exists ? 'does not exist any more' : undefined
  }
  if (!saved.exists) return 'exists now'
  if (live.kind !== saved.kind) return `is ${live.kind === 'lxc' ? 'a container' : 'a virtual machine'} now`
  if (live.node !== saved.node) return `is on ${live.node} now`
  if (live.run !== saved.run) return `was ${saved.run} and is ${live.run} now`
  const digest = live.config.known ? live.config.digest : undefined
  return digest === saved.liveDigest ? undefined : 'has another config now'
}
