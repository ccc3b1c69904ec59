// A guest that exists and shall stay: its options, its disks, its place, its run state, in that order. What can
// lose data stands in an action of its own, so that it holds up nothing else.
import type {ActualGuest} from '../model/actual.ts'
import type {DesiredGuest} from '../model/desired.ts'
import type {GuestPlan, Impact, PlannedAction, PlanProblem} from '../model/plan.ts'
import {compareOptions, type OptionDifferences, type WeighedChange} from './compare-options.ts'
import {isRefusedDisk} from './find-blockers.ts'
import {planGrowths} from './plan-growths.ts'
import {planRestart, planRunState} from './plan-run-state.ts'
import {uniqueNeeds} from './unique-needs.ts'

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
      ...setConfigActions(differences.changes, guest),
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

/**
 * Benign changes together in one write; what Proxmox rewrites as a consequence of another in a second one, for within
 * one write it is left to chance which of the two wins; each destructive, root-only or refused one by itself, behind
 * them.
 */
function setConfigActions(changes: readonly WeighedChange[], guest: ActualGuest): PlannedAction[] {
  const isApart = ({change, needs}: WeighedChange): boolean =>
    change.class === 'destructive' || needs.some((need) => need.rootOnly) || isRefusedDisk(change, guest)
  const together = changes.filter((change) => !isApart(change))
  const rewritten = new Set(together.flatMap(({change}) => change.sideEffects ?? []))
  const first = together.filter(({change}) => !rewritten.has(change.option))
  const second = together.filter(({change}) => rewritten.has(change.option))
  const apart = changes.filter(isApart).map((change) => [change])
  return [first, second, ...apart].filter((write) => write.length > 0).map(setConfig)
}

const IMPACT_ORDER: readonly Impact[] = ['none', 'live', 'restart', 'outage']

const worst = (impacts: readonly Impact[]): Impact =>
  impacts.reduce((a, b) => (IMPACT_ORDER.indexOf(b) > IMPACT_ORDER.indexOf(a) ? b : a), 'none')

function setConfig(weighed: readonly WeighedChange[]): PlannedAction {
  const changes = weighed.map(({change}) => change)
  const names = changes.map(({option}) => option)
  return {
    type: 'set-config',
    changes,
    why: `${names.join(', ')} differ${names.length === 1 ? 's' : ''} from what is desired`,
    impact: worst(changes.map(({impact}) => impact)),
    reversible: changes.every(({reversible}) => reversible),
    class: changes.some((change) => change.class === 'destructive') ? 'destructive' : 'benign',
    needs: uniqueNeeds(weighed.flatMap(({needs}) => needs)),
    blockers: [],
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
