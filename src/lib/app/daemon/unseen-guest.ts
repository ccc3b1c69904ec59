// Guests of which a pass could not see how they are: their node is away, or their config could not be read. What is
// missing from such a plan says nothing. Pure.
import type {GuestPlan} from '../../model/plan.ts'

const UNSEEN: ReadonlySet<string> = new Set([
  'absence_unproved',
  'node_offline',
  'config_unknown',
  'run_unknown',
])

export const isUnseenGuest = ({problems}: Pick<GuestPlan, 'problems'>): boolean =>
  problems.some(({code}) => UNSEEN.has(code))
