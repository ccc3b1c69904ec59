// Carries out a plan. It knows guests, lanes and the order of steps, and touches Proxmox only through its ports.
// Guarantees: no request without a durable record before it, none without the gate's word, none sent twice; what is
// not known to have ended stays open in the journal. Failed actions are results; it throws only when the run itself
// cannot go on, and then nothing more is sent.
import type {Plan} from '../model/plan.ts'
import type {RunOptions, RunResult} from './run-options.ts'

export type {OutcomeCounts, RunOptions, RunResult} from './run-options.ts'

export function runPlan(plan: Plan, options: RunOptions): Promise<RunResult> {
  return Promise.reject(new Error(`${options.run}: ${plan.guests.length} guests`))
}
