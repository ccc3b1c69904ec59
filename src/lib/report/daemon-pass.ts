// One pass in a sentence, and in numbers.
import type {PassReport} from '../model/daemon.ts'
import type {ActionOutcome} from '../model/run-event.ts'
import {plural} from './plural.ts'

export interface PassCounts {
  /** Guests that already were as desired. */
  readonly unchanged: number
  readonly unmanaged: number
  /** Guests that the plan had something to do for. */
  readonly planned: number
  readonly inFlight: number
  readonly quarantined: number
  readonly pendingSignatures: number
  readonly outcomes: Readonly<Partial<Record<ActionOutcome, number>>>
}

export function countPass({plan, results, open}: PassReport): PassCounts {
  const outcomes: Partial<Record<ActionOutcome, number>> = {}
  for (const {outcome} of results) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  const guests = (plan?.guests ?? []).filter(({actions}) => actions.length > 0)
  const quarantined = open.filter(({state}) => state === 'quarantined').length
  return {
    unchanged: plan?.unchanged ?? 0,
    unmanaged: plan?.unmanaged ?? 0,
    planned: guests.length,
    inFlight: open.length - quarantined,
    quarantined,
    pendingSignatures: guests
      .flatMap(({actions}) => actions)
      .filter(({blockers}) => blockers.some(({code}) => code === 'needs_signature')).length,
    outcomes,
  }
}

/** Not done, and the same in every pass until somebody does something: told as alerts. */
const STANDING: readonly ActionOutcome[] = ['blocked', 'refused', 'frozen', 'skipped', 'not_started']

export interface DescribedPass {
  readonly msg: string
  readonly fields: Readonly<Record<string, unknown>>
  /** Nothing was done, and nothing went wrong. */
  readonly isQuiet: boolean
}

export function describePass(report: PassReport): DescribedPass {
  const {pass, startedMs, endedMs, permission, problem, plan, source, jobs} = report
  const counts = countPass(report)
  // A pass that failed early has seen no guests: zeros would say that it had.
  const hasLooked = problem === undefined || plan !== undefined
  const tried = Object.entries(counts.outcomes).filter(
    ([outcome]) => !STANDING.includes(outcome as ActionOutcome),
  )
  const durationMs = endedMs - startedMs
  const done = tried.map(([outcome, count]) => `${count} ${outcome.replace('_', ' ')}`)
  const parts = [
    ...(done.length === 0 ? ['nothing done'] : done),
    ...(jobs.length === 0 ? [] : [plural(jobs.length, 'job')]),
    ...(hasLooked ? [`${plural(counts.unchanged, 'guest')} as desired`] : []),
    ...(counts.planned === 0 ? [] : [`${counts.planned} had something to do`]),
    ...(counts.quarantined === 0 ? [] : [`${counts.quarantined} quarantined`]),
  ]
  return {
    msg: `pass ${pass} took ${(durationMs / 1000).toFixed(1)} s: ${parts.join(', ')}`,
    fields: {
      ...{pass, durationMs, result: resultOf(report), permission},
      ...(hasLooked && counts),
      ...(source && {sourceState: source.state, revision: source.revision}),
    },
    // Its problem has a line of its own, and so has each job when something becomes of it.
    isQuiet: tried.length === 0,
  }
}

export function resultOf({problem}: PassReport): 'ok' | 'failed' | 'interrupted' {
  if (problem === undefined) return 'ok'
  return problem.code === 'interrupted' ? 'interrupted' : 'failed'
}
