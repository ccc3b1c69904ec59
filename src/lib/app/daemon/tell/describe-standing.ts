// How things stand after a pass, in one line for `systemctl status`.
import type {PassReport} from '../../../model/daemon.ts'
import type {GuestPlan} from '../../../model/plan.ts'
import {findDrift} from './guest-matters.ts'
import {isUnseenGuest} from '../unseen-guest.ts'

export function describeStanding(report: PassReport): string {
  const {pass, problem, plan, open} = report
  if (problem) return `pass ${pass}: ${problem.message}`
  if (!plan) return `pass ${pass}: ${describeAbsence(report)}`
  const counts = {
    // What the pass itself has put right does not differ any more.
    'with drift': findDrift(report).length,
    // Of these nobody knows.
    'not seen': plan.guests.filter(isUnseenGuest).length,
    'with a mistake': plan.guests.filter(isMistaken).length,
    open: open.length,
  }
  const parts = Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]))
  return `pass ${pass}: ${parts.length === 0 ? 'all as desired' : parts.join(', ')}`
}

const isMistaken = (guest: GuestPlan): boolean =>
  !isUnseenGuest(guest) && guest.problems.some(({severity}) => severity === 'error')

function describeAbsence({source}: PassReport): string {
  if (source === undefined || source.kind === 'none') return 'nothing is desired'
  return `no desired state can be used: ${source.problem ?? 'the source has brought none yet'}`
}
