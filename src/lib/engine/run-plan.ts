// Carries out a plan. It knows guests, lanes and the order of steps, and touches Proxmox only through its ports.
// Guarantees: no request without a durable record before it, none without the gate's word, none sent twice; what is
// not known to have ended stays open in the journal. Failed actions are results; it throws only when the run itself
// cannot go on, and then nothing more is sent.
import type {GuestPlan, Plan} from '../model/plan.ts'
import type {ActionOutcome, ActionResult} from '../model/run-event.ts'
import {Run} from './run-context.ts'
import {runGuest} from './run-guest.ts'
import type {OutcomeCounts, RunOptions, RunResult} from './run-options.ts'

export type {OutcomeCounts, RunOptions, RunResult} from './run-options.ts'

export async function runPlan(plan: Plan, options: RunOptions): Promise<RunResult> {
  const run = new Run(options)
  const guests = plan.guests.filter(({actions}) => actions.length > 0)
  const actions = guests.reduce((sum, guest) => sum + guest.actions.length, 0)
  run.emit({type: 'run_started', guests: guests.length, actions})
  const results = (await Promise.all(guests.map((guest) => runLane(guest, run)))).flat()
  if (!options.queue) await run.queue.close()
  const counts = countOutcomes(results)
  run.emit({type: 'run_ended', counts})
  if (run.failure) throw run.failure.error
  return {results, counts}
}

/** A lane that breaks down does not keep the others from coming to their ends. */
async function runLane(guest: GuestPlan, run: Run): Promise<readonly ActionResult[]> {
  try {
    return await runGuest(guest, run)
  } catch (error) {
    run.fail(error)
    return []
  }
}

function countOutcomes(results: readonly ActionResult[]): OutcomeCounts {
  const counts: Record<ActionOutcome, number> = {
    succeeded: 0,
    satisfied: 0,
    failed: 0,
    in_flight: 0,
    refused: 0,
    blocked: 0,
    stale: 0,
    frozen: 0,
    skipped: 0,
    not_started: 0,
  }
  for (const {outcome} of results) counts[outcome]++
  return counts
}
