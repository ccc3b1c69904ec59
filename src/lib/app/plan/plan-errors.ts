// Errors of a plan are of two kinds. A mistake in what is written stops the whole apply. A guest that cannot be seen
// or made because a node is away is left alone, and the others go on: that is nobody's mistake.
import {FelhomError} from '../../model/felhom-error.ts'
import {formatGuestId} from '../../model/guest.ts'
import type {GuestPlan, Plan, PlanProblem} from '../../model/plan.ts'

const AWAY: ReadonlySet<string> = new Set(['absence_unproved', 'node_offline'])

/** What is wrong with what is written. */
export const findMistakes = ({guests, problems}: Plan): PlanProblem[] =>
  [...problems, ...guests.flatMap((guest) => guest.problems)].filter(
    ({severity, code}) => severity === 'error' && !AWAY.has(code),
  )

/** Throws unless every error is that a node is away. */
export function refuseMistakes(plan: Plan): void {
  if (findMistakes(plan).length === 0) return
  throw new FelhomError(
    'desired_invalid',
    'the desired state cannot be reached as it is written: see the errors above',
    {hint: 'Mend it, or apply the other guests with --target.', doubt: 'Nothing was changed.'},
  )
}

/** Guests about which nothing can be said while a node is away. */
export const findUnseen = ({guests}: Plan): string[] =>
  guests.filter(isUnseen).map((guest) => formatGuestId(guest))

const isUnseen = ({problems}: GuestPlan): boolean =>
  problems.some(({severity, code}) => severity === 'error' && AWAY.has(code))
