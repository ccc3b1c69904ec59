// A guest that exists and shall stay: its options, its disks, its place, its run state, in that order. What can
// lose data stands in an action of its own, so that it holds up nothing else.
import type {ActualGuest} from '../model/actual.ts'
import type {DesiredGuest} from '../model/desired.ts'
import type {GuestPlan, PlannedAction, PlanProblem} from '../model/plan.ts'
import {compareOptions, type OptionDifferences} from './compare-options.ts'
import {planGrowths} from './plan-growths.ts'
import {planRestart, planRunState} from './plan-run-state.ts'
import {planWrites} from './plan-writes.ts'

export function planUpdate(desired: DesiredGuest, guest: ActualGuest, base: GuestPlan): GuestPlan {
  const run = planRunState(desired, guest)
  const place = planPlace(desired, guest)
  if (!guest.config.known) {
    const problems = desired.options.size > 0 ? [configUnknown(desired, guest.config.reason)] : []
    const rest = {actions: [...place.actions, ...run.actions]}
    return {...base, ...rest, problems: [...problems, ...place.problems, ...run.problems]}
  }
  const differences = compareOptions(desired, guest, guest.config)
  const restart = planNeededRestart(desired, guest, differences, run.actions)
  const power = [...restart.actions, ...run.actions]
  const growths = planGrowths(desired, guest, differences, power)
  return {
    ...base,
    actions: [
      ...planWrites(differences.changes, desired, guest),
      ...growths.now,
      ...place.actions,
      ...power,
      ...growths.later,
    ],
    unchangedOptions: differences.unchanged,
    problems: [
      ...differences.problems,
      ...place.problems,
      ...restart.problems,
      ...growths.problems,
      ...run.problems,
    ],
  }
}

function planPlace(
  desired: DesiredGuest,
  guest: ActualGuest,
): {actions: PlannedAction[]; problems: PlanProblem[]} {
  if (!desired.nodes || desired.nodes.includes(guest.node)) return {actions: [], problems: []}
  const where = desired.nodes.join(' or ')
  if (guest.ha.managed === true) {
    const message = `${guest.kind}/${guest.vmid} is on ${guest.node} instead of ${where}; the HA manager decides where it runs`
    return {
      actions: [],
      problems: [{code: 'ha_placement', severity: 'warning', message, place: desired.place}],
    }
  }
  const migrate: PlannedAction = {
    type: 'migrate',
    to: desired.nodes,
    why: `it is on ${guest.node} and shall be on ${where}`,
    impact: guest.run === 'running' && guest.kind === 'lxc' ? 'outage' : 'live',
    reversible: true,
    class: 'benign',
    needs: [{path: `/vms/${guest.vmid}`, anyOf: ['VM.Migrate']}],
    blockers: [],
  }
  return {actions: [migrate], problems: []}
}

/** A running guest that keeps running restarts for its pending changes only where that is allowed. */
function planNeededRestart(
  desired: DesiredGuest,
  guest: ActualGuest,
  {changes, waiting}: OptionDifferences,
  runActions: readonly PlannedAction[],
): {actions: PlannedAction[]; problems: PlanProblem[]} {
  const stays = guest.run === 'running' && runActions.length === 0
  const options = [
    ...changes.filter(({change}) => change.impact === 'restart').map(({change}) => change.option),
    ...waiting,
  ].sort()
  if (!stays || options.length === 0) return {actions: [], problems: []}
  if (desired.restart === 'allowed') return {actions: [planRestart(guest.vmid, options)], problems: []}
  if (waiting.length === 0) return {actions: [], problems: []}
  const message = `${waiting.join(', ')} of ${guest.kind}/${guest.vmid} wait${waiting.length === 1 ? 's' : ''} for a restart, which is not allowed (restart: never)`
  return {
    actions: [],
    problems: [{code: 'restart_pending', severity: 'warning', message, place: desired.place}],
  }
}

const configUnknown = (desired: DesiredGuest, reason: string): PlanProblem => ({
  code: 'config_unknown',
  severity: 'warning',
  message: `the config of ${desired.kind}/${desired.vmid} could not be read (${reason}): only its run state is compared`,
  place: desired.place,
})
