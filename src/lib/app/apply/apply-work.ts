// What an apply is to carry out: from the files, from a saved plan, or the way back of a run. What can be wrong with either is found when
// it is opened, before anything is locked, read or sent.
import type {GuestReader} from '../../engine/ports.ts'
import type {ActualCluster, ActualGuest} from '../../model/actual.ts'
import type {DesiredState} from '../../model/desired.ts'
import type {GuestId} from '../../model/guest.ts'
import type {GuestPlan, Plan} from '../../model/plan.ts'
import type {CarriedEnvelope} from '../../source/source.ts'
import {heldPrivileges} from '../../plan/held-privileges.ts'
import {makeHoldCopied} from '../../plan/hold-copied.ts'
import {planGuest} from '../../plan/plan-changes.ts'
import type {SettledGuests} from '../../plan/settled-guests.ts'
import {chooseTargets, planState} from '../plan/plan-cluster.ts'
import {readSecrets} from '../source/read-secrets.ts'

export interface ApplyWork {
  /** Against the cluster as it is now. Throws plan_stale if a saved plan no longer fits. */
  plan(actual: ActualCluster, reader: WorkReader): PlannedWork | Promise<PlannedWork>
  /** Throws secret_missing, naming the place, never the value. */
  readSecrets(guest: GuestId, options: readonly string[]): Record<string, string>
  /** Saved plans were looked at before: nobody is asked, and nothing else than what they say is carried out. */
  readonly isSaved: boolean
  /** Those that came with the desired state. */
  readonly approvals?: readonly CarriedEnvelope[]
  /** Why it is not known which did. */
  readonly approvalsProblem?: string
}

/** For what the cluster as a whole does not tell. */
export type WorkReader = Pick<GuestReader, 'readSnapshots'>

export interface PlannedWork {
  readonly plan: Plan
  /** Of one of its guests as it is now, with no actions if it is as desired. */
  planAgain(guest: ActualGuest): GuestPlan | undefined
}

export function workFromFiles(
  state: DesiredState,
  targets: readonly string[],
  env: NodeJS.ProcessEnv,
  settled?: SettledGuests,
): ApplyWork {
  const desired = chooseTargets(state, targets)
  const byVmid = new Map(desired.guests.map((guest) => [guest.vmid, guest]))
  return {
    isSaved: false,
    plan(actual) {
      const held = actual.privileges && heldPrivileges(actual.privileges)
      const plan = planState(desired, state, actual, settled)
      const hold = makeHoldCopied(plan.guests)
      return {
        plan,
        planAgain(guest) {
          const wish = byVmid.get(guest.vmid)
          return wish && hold(planGuest(wish, guest, actual, held && {held}))
        },
      }
    },
    readSecrets({vmid}, options) {
      const wish = byVmid.get(vmid)
      return wish ? readSecrets(wish, options, env) : {}
    },
  }
}
