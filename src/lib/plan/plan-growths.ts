// Disks that grow, and when: at once, behind a change of the run state, or not yet.
import type {ActualGuest} from '../model/actual.ts'
import type {DesiredGuest} from '../model/desired.ts'
import type {PlannedAction, PlanProblem} from '../model/plan.ts'
import type {Growth, OptionDifferences} from './compare-options.ts'
import {isWritten} from './plan-writes.ts'

interface GrowthPlan {
  readonly now: readonly PlannedAction[]
  /** Behind the change of the run state. */
  readonly later: readonly PlannedAction[]
  readonly problems: readonly PlanProblem[]
}

/**
 * A disk with a change that waits grows once that change has taken effect: the text that waits holds the old size,
 * and would come back with it.
 */
export function planGrowths(
  desired: DesiredGuest,
  guest: ActualGuest,
  differences: OptionDifferences,
  power: readonly PlannedAction[],
): GrowthPlan {
  const waiting = waitingOptions(guest, differences)
  const grow = (growths: readonly Growth[]): PlannedAction[] => growths.map((g) => growAction(g, guest))
  const now = grow(differences.growths.filter(({disk}) => !waiting.has(disk)))
  const later = differences.growths.filter(({disk}) => waiting.has(disk))
  if (power.some((action) => takesChangesIn(action, guest))) return {now, later: grow(later), problems: []}
  const problems = later.map(({disk}): PlanProblem => {
    const message = `${disk} of ${guest.kind}/${guest.vmid} can grow only once its waiting change has taken effect, by a restart`
    return {code: 'restart_pending', severity: 'warning', message, place: desired.place}
  })
  return {now, later: [], problems}
}

function waitingOptions(guest: ActualGuest, {changes}: OptionDifferences): ReadonlySet<string> {
  const {run, config} = guest
  const pending = config.known ? config.pending.map(({option}) => option) : []
  if (run !== 'stopped') {
    const postponed = changes.filter((one) => one.change.impact === 'restart' && isWritten(one, guest))
    return new Set([...pending, ...postponed.map(({change}) => change.option)])
  }
  // The first write to a stopped guest takes in whatever waits.
  return new Set(changes.some((change) => isWritten(change, guest)) ? [] : pending)
}

/** A machine takes them in when it stops, a container only when it starts. */
const takesChangesIn = ({type}: PlannedAction, {kind}: ActualGuest): boolean =>
  type === 'restart' || type === 'start' || (type === 'shutdown' && kind === 'qemu')

/** Growing a disk loses nothing, but it cannot be taken back. */
function growAction({disk, fromBytes, toBytes}: Growth, guest: ActualGuest): PlannedAction {
  return {
    type: 'resize',
    disk,
    fromBytes,
    toBytes,
    why: `${disk} is smaller than desired`,
    impact: guest.run === 'stopped' ? 'none' : 'live',
    reversible: false,
    class: 'benign',
    needs: [{path: `/vms/${guest.vmid}`, anyOf: ['VM.Config.Disk']}],
    blockers: [],
  }
}
