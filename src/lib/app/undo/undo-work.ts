// The way back of a run as work for an apply: planned against the cluster as it is now, by the same planner, and
// carried out by the same engine through the same gate and journal.
import type {ActualCluster, ActualGuest} from '../../model/actual.ts'
import type {DesiredGuest} from '../../model/desired.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {Operation} from '../../model/operation.ts'
import type {GuestPlan, PlannedAction} from '../../model/plan.ts'
import type {UndoRemark} from '../../model/undo.ts'
import {heldPrivileges} from '../../plan/held-privileges.ts'
import {planChanges, planGuest} from '../../plan/plan-changes.ts'
import {planWayBack, type WayBack} from '../../plan/plan-undo.ts'
import {parseTarget} from '../../plan/select-targets.ts'
import type {PlannedWork} from '../apply/apply-work.ts'

export interface PlannedUndo extends PlannedWork {
  /** What is not brought back, and why. */
  readonly remarks: readonly UndoRemark[]
}

/** `operations`: all of one run. */
export function planUndo(
  run: string,
  operations: readonly Operation[],
  actual: ActualCluster,
  targets: readonly string[],
): PlannedUndo {
  const byVmid = groupByGuest(chooseOperations(run, operations, targets))
  const live = new Map(actual.guests.map((guest) => [guest.vmid, guest]))
  const held = actual.privileges && heldPrivileges(actual.privileges)
  const wayBack = (vmid: number, guest: ActualGuest | undefined): WayBack =>
    planWayBack(byVmid.get(vmid) ?? [], guest, actual.completeness.complete)
  const ways = [...byVmid.keys()].sort((a, b) => a - b).map((vmid) => wayBack(vmid, live.get(vmid)))
  const guests = ways.flatMap(({desired}): DesiredGuest[] => (desired ? [desired] : []))
  const plan = planChanges({guests, files: []}, actual, held && {held})
  const because = (guest: GuestPlan): GuestPlan => explain(guest, run)
  return {
    plan: {...plan, guests: plan.guests.map(because), unmanaged: 0},
    planAgain: (guest) => {
      const {desired} = wayBack(guest.vmid, guest)
      return because(planGuest(desired ?? nothing(guest), guest, actual, held && {held}))
    },
    remarks: ways.flatMap(({remarks}) => remarks),
  }
}

function groupByGuest(operations: readonly Operation[]): Map<number, Operation[]> {
  const byVmid = new Map<number, Operation[]>()
  for (const operation of operations) {
    const {vmid} = operation.intent.target
    byVmid.set(vmid, [...(byVmid.get(vmid) ?? []), operation])
  }
  return byVmid
}

function chooseOperations(
  run: string,
  operations: readonly Operation[],
  targets: readonly string[],
): readonly Operation[] {
  if (targets.length === 0) return operations
  const of = (text: string): readonly Operation[] => {
    const target = parseTarget(text)
    return operations.filter(
      ({intent: {target: guest}}) =>
        target?.vmid === guest.vmid && (target.kind === undefined || target.kind === guest.kind),
    )
  }
  const missing = targets.filter((text) => of(text).length === 0)
  if (missing.length === 0) return [...new Set(targets.flatMap(of))]
  throw new FelhomError('usage', `${run} did nothing to ${missing.join(', ')}`, {
    hint: `A target is lxc/101 or 101. See what it did with: felhom journal show ${run}`,
    doubt: 'Nothing was changed.',
  })
}

/** Nobody wrote it into a file, so that no place can be named. */
function explain(guest: GuestPlan, run: string): GuestPlan {
  return {
    ...guest,
    actions: guest.actions.map((action): PlannedAction => ({...action, why: `it undoes ${run}`})),
    problems: guest.problems.map(({code, severity, message}) => ({code, severity, message})),
  }
}

/** All of it is back already, or must be left alone by now. */
const nothing = ({kind, vmid}: ActualGuest): DesiredGuest => ({
  kind,
  vmid,
  ensure: 'present',
  options: new Map(),
  restart: 'never',
  stop: {timeoutMs: 0, force: false},
  place: {file: '', line: 1, column: 1},
})
