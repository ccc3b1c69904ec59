// The use case behind `felhom plan`: desired state from files, live state from Proxmox, a capture or the sandbox,
// and the plan between them. It holds a reader and no way to write.
import {findOption} from '../../catalog/option.ts'
import {showValue} from '../../catalog/show-value.ts'
import type {ActualCluster} from '../../model/actual.ts'
import type {DesiredState} from '../../model/desired.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {GuestKind} from '../../model/guest.ts'
import type {Plan} from '../../model/plan.ts'
import {heldPrivileges} from '../../plan/held-privileges.ts'
import {planChanges} from '../../plan/plan-changes.ts'
import type {SettledGuests} from '../../plan/settled-guests.ts'
import {selectTargets} from '../../plan/select-targets.ts'
import {releaseMemory} from './release-memory.ts'

export interface PlanRequest {
  loadDesired: () => Promise<DesiredState>
  readActual: () => Promise<ActualCluster>
  targets: readonly string[]
}

export interface PlanResult {
  plan: Plan
  actual: ActualCluster
}

export async function planCluster({loadDesired, readActual, targets}: PlanRequest): Promise<PlanResult> {
  const whole = await loadDesired()
  const desired = chooseTargets(whole, targets)
  releaseMemory()
  const actual = await readActual()
  return {plan: planState(desired, whole, actual), actual}
}

/** `desired` are the targets, `whole` is all that the files hold. */
export function planState(
  desired: DesiredState,
  whole: DesiredState,
  actual: ActualCluster,
  settled?: SettledGuests,
): Plan {
  const managed = new Set(whole.guests.map((guest) => guest.vmid))
  const held = actual.privileges === undefined ? undefined : heldPrivileges(actual.privileges)
  return planChanges(desired, actual, {managed, ...(held && {held}), ...(settled && {settled})})
}

/** Throws if a target names no guest of the desired state. */
export function chooseTargets(state: DesiredState, targets: readonly string[]): DesiredState {
  const {state: chosen, missing} = selectTargets(state, targets)
  if (missing.length === 0) return chosen
  throw new FelhomError('usage', `the desired state has no guest ${missing.join(', ')}`, {
    hint: 'A target is lxc/101 or 101, and must be in the desired state.',
    doubt: 'Nothing was planned and nothing was changed.',
  })
}

/** Whether applying the plan would do anything, or could not be planned as desired. */
export const hasChanges = (plan: Plan): boolean => plan.guests.some((guest) => guest.actions.length > 0)

export const hasErrors = (plan: Plan): boolean =>
  [...plan.problems, ...plan.guests.flatMap((guest) => guest.problems)].some((p) => p.severity === 'error')

/** How a value reads to people, for the report. */
export function showOptionValue(kind: GuestKind, name: string, text: string): string {
  const option = findOption(kind, name)
  return option ? showValue(option, text) : text
}
