// From the run state a guest has to the one it shall have.
import type {ActualGuest} from '../model/actual.ts'
import type {DesiredGuest} from '../model/desired.ts'
import type {Need, PlannedAction, PlanProblem} from '../model/plan.ts'

interface RunPlan {
  actions: PlannedAction[]
  problems: PlanProblem[]
}

export const powerNeed = (vmid: number): Need => ({path: `/vms/${vmid}`, anyOf: ['VM.PowerMgmt']})

export function planRunState(desired: DesiredGuest, guest: ActualGuest): RunPlan {
  if (desired.run === undefined) return {actions: [], problems: []}
  if (guest.run === 'unknown') return {actions: [], problems: [unknownState(desired)]}
  if (desired.run === 'running') {
    if (guest.run === 'paused') return {actions: [], problems: [paused(desired)]}
    return {actions: guest.run === 'running' ? [] : [planStart(guest.vmid)], problems: []}
  }
  if (guest.run === 'stopped') return {actions: [], problems: []}
  return {actions: [planShutdown(desired, guest, 'it is desired to be stopped')], problems: []}
}

export function planStart(vmid: number): PlannedAction {
  return {
    type: 'start',
    why: 'it is desired to run',
    impact: 'none',
    reversible: true,
    class: 'benign',
    needs: [powerNeed(vmid)],
    blockers: [],
  }
}

export function planShutdown(desired: DesiredGuest, guest: ActualGuest, why: string): PlannedAction {
  return {
    type: 'shutdown',
    timeoutMs: desired.stop.timeoutMs,
    force: desired.stop.force,
    why,
    impact: 'outage',
    reversible: true,
    class: 'benign',
    needs: [powerNeed(guest.vmid)],
    blockers: [],
  }
}

export function planRestart(vmid: number, options: readonly string[]): PlannedAction {
  return {
    type: 'restart',
    why: `${options.join(', ')} take${options.length === 1 ? 's' : ''} effect only after a restart`,
    impact: 'outage',
    reversible: true,
    class: 'benign',
    needs: [powerNeed(vmid)],
    blockers: [],
  }
}

const unknownState = (desired: DesiredGuest): PlanProblem => ({
  code: 'run_unknown',
  severity: 'warning',
  message: `whether ${desired.kind}/${desired.vmid} runs is not known: its run state is left alone`,
  place: desired.place,
})

const paused = (desired: DesiredGuest): PlanProblem => ({
  code: 'paused',
  severity: 'warning',
  message: `${desired.kind}/${desired.vmid} is paused: somebody paused it on purpose, so it is left alone`,
  place: desired.place,
})
