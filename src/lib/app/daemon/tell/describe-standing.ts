// How things stand after a pass, in one line for `systemctl status`.
import type {PassReport} from '../../../model/daemon.ts'
import {formatGuestId} from '../../../model/guest.ts'
import type {GuestPlan, PlanProblem} from '../../../model/plan.ts'
import {findDrift, viewGuests} from './guest-matters.ts'
import {isUnseenGuest} from '../unseen-guest.ts'

export function describeStanding(report: PassReport): string {
  const {pass, problem, plan, open, source} = report
  if (problem) return `pass ${pass}: ${problem.message}`
  if (!plan) return `pass ${pass}: ${describeAbsence(report)}`
  const counts = {
    // What the pass itself has put right does not differ any more.
    'with drift': findDrift(report).length,
    // Of these nobody knows.
    'not seen': plan.guests.filter(isUnseenGuest).length,
    'not settled': countUnsettled(report),
    'with a mistake': plan.guests.filter(isMistaken).length,
    'wrong with all of it': plan.problems.filter(isError).length,
    open: open.length,
  }
  const parts = Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]))
  const isOld = source !== undefined && source.state !== 'fresh'
  // What was desired last is compared with, and more may be desired by now.
  const told = parts.length > 0 ? parts.join(', ') : isOld ? 'all as last desired' : 'all as desired'
  return `pass ${pass}: ${told}${isOld ? `; the source is ${source.state}` : ''}`
}

/** Being changed, changed while the pass was made, or not come to: whether these differ is not known either. */
function countUnsettled(report: PassReport): number {
  const views = viewGuests(report)
  const seen = (report.plan?.guests ?? []).filter((guest) => !isUnseenGuest(guest))
  return seen.filter((guest) => views.get(formatGuestId(guest))?.isUnsettled === true).length
}

const isMistaken = (guest: GuestPlan): boolean => !isUnseenGuest(guest) && guest.problems.some(isError)

const isError = ({severity}: PlanProblem): boolean => severity === 'error'

function describeAbsence({source}: PassReport): string {
  if (source === undefined || source.kind === 'none') return 'nothing is desired'
  return `no desired state can be used: ${source.problem ?? 'the source has brought none yet'}`
}
