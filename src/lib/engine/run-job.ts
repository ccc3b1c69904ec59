// One signed job that no plan holds: restoring over a guest, wiping a storage, decommissioning a host. Whoever brings
// an executor for it gets the same lane, gate and journal as any change; without one nothing is asked of the gate.
import type {FullGate, JobVerdict, SignedJob} from '../gate/gate.ts'
import type {SignedOperation} from '../model/approval.ts'
import {isFelhomError} from '../model/felhom-error.ts'
import {findHolding} from '../model/operation.ts'
import {ended, type Ended} from './ended.ts'
import {executeJob} from './execute-action.ts'
import type {JobExecutor} from './ports.ts'
import {Run} from './run-context.ts'
import type {RunOptions} from './run-options.ts'

export type JobExecutors = Readonly<Partial<Record<SignedOperation, JobExecutor>>>

export interface JobOptions extends RunOptions {
  readonly gate: FullGate
  readonly executors: JobExecutors
}

/** Throws only when the journal fails; then nothing more may be sent. */
export async function runJob(job: SignedJob, options: JobOptions): Promise<Ended> {
  const {op, target} = job.bound
  const executor = options.executors[op]
  if (!executor) return ended('blocked', `felhom has no means to carry out ${op}`)
  const run = new Run(options)
  const result = await run.queue.submit(target, () => decideAndExecute(job, executor, options, run))
  if (run.failure) throw run.failure.error
  return result
}

async function decideAndExecute(
  job: SignedJob,
  executor: JobExecutor,
  {gate, journal}: JobOptions,
  run: Run,
): Promise<Ended> {
  const {vmid} = job.bound.target
  const open = findHolding(journal.openOperations(), [vmid])
  if (open) return ended('frozen', `operation ${open.intent.op} is ${open.state}`)
  const halted = run.whyHalted()
  if (halted !== undefined) return ended('not_started', halted)
  const verdict = await askGate(job, gate, run)
  if ('outcome' in verdict) return verdict
  if (verdict.allowed) return executeJob(verdict.authorized, executor, run)
  const {code, message} = verdict.refusal
  return ended('refused', message, {refusal: code})
}

async function askGate(job: SignedJob, gate: FullGate, run: Run): Promise<JobVerdict | Ended> {
  try {
    return await gate.authorizeJob(job, () => run.whyHalted())
  } catch (error) {
    if (isFelhomError(error, 'interrupted')) return ended('not_started', error.message)
    throw error
  }
}
