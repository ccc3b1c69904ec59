// Signed jobs that came with the desired state. Each is an approval that says itself what it is for; the gate verifies
// it like any other, and its nonce lets it be carried out at most once, whatever carries it here how often.
import {decodeEnvelope} from '../../gate/envelope.ts'
import {decodeStatement} from '../../gate/statement.ts'
import type {Statement} from '../../model/approval.ts'
import type {JobResult} from '../../model/daemon.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {GuestId} from '../../model/guest.ts'
import {obstaclesOf, type Blocker, type GuestPlan} from '../../model/plan.ts'
import type {ActionResult} from '../../model/run-event.ts'
import {carryOut} from '../apply-run.ts'
import {workFromJob, type GuestJob} from '../run-signed-job.ts'
import {showSignatures} from '../signature-state.ts'
import type {Scene} from './converge-guests.ts'
import {jobOfStatement} from './job-of-statement.ts'
import {reportUsed} from './report-used-job.ts'
import type {PassMemory, PassWorld} from './pass-world.ts'
import {restrainPlan} from './restrain-plan.ts'
import {describeProblem, type Draft} from './pass-draft.ts'

export async function runJobs(
  scene: Scene,
  world: PassWorld,
  memory: PassMemory,
  draft: Draft,
): Promise<void> {
  const results: JobResult[] = []
  draft.jobs = results
  for (const statement of readStatements(scene, world)) {
    if (world.stop.aborted || draft.problem) break
    const result = await runStatement(statement, scene, world, memory, draft)
    results.push(result)
    const told = JSON.stringify(result)
    if (memory.toldJobs.get(statement.nonce) !== told) world.tell({type: 'job_ended', job: result})
    memory.toldJobs.set(statement.nonce, told)
  }
  forgetGone(memory, results)
}

/** Those for this installation, each once; what cannot be read is no job of anybody's. */
function readStatements({delivery, state}: Scene, world: PassWorld): Statement[] {
  const found = new Map<string, Statement>()
  for (const {name, bytes} of delivery.jobs) {
    try {
      const statement = decodeStatement(decodeEnvelope(bytes).payload)
      if (statement.host === state.host && !found.has(statement.nonce)) found.set(statement.nonce, statement)
    } catch (error) {
      world.tell({type: 'warning', text: `The job ${name} is left out: ${(error as Error).message}`})
    }
  }
  return [...found.values()]
}

async function runStatement(
  statement: Statement,
  scene: Scene,
  world: PassWorld,
  memory: PassMemory,
  draft: Draft,
): Promise<JobResult> {
  const base = {nonce: statement.nonce, op: statement.op, ...guestOf(statement)}
  const used = reportUsed(statement.nonce, scene.state)
  if (used) return {...base, ...used}
  if (world.clock.now() > statement.expMs)
    return {...base, outcome: 'refused', refusal: 'expired', detail: 'the signature is no longer valid'}
  const job = jobOfStatement(statement)
  if (!job) return {...base, outcome: 'refused', detail: `felhom has no means to carry out ${statement.op}`}
  try {
    const ended = await carryOutJob(job, statement.nonce, scene, world, memory, draft)
    return {...base, ...ended}
  } catch (error) {
    if (!(error instanceof FelhomError) || error.code !== 'usage') throw error
    return {...base, outcome: 'refused', refusal: 'binding_mismatch', detail: error.message}
  }
}

type Ended = Pick<JobResult, 'outcome' | 'refusal' | 'detail' | 'operation'>

async function carryOutJob(
  job: GuestJob,
  nonce: string,
  {access, state, gate, inspector, view}: Scene,
  world: PassWorld,
  memory: PassMemory,
  draft: Draft,
): Promise<Ended> {
  const {settings, clock, randomHex, stop} = world
  const work = workFromJob(job)
  const actual = await view.read()
  const planned = await work.plan(actual, access.reader)
  const withhold = memory.permissionsOf(settings.daemon).withholdAt(clock.now())
  const restraints = {withhold, suspensions: draft.suspensions, backOffs: []}
  const plan = restrainPlan(await showSignatures(planned.plan, actual, inspector), restraints)
  const [guest] = plan.guests
  if (!guest) return {outcome: 'satisfied', detail: 'there is nothing left to do'}
  const why = findObstacle(guest, nonce, memory)
  if (why) return why
  view.forget()
  const outcome = await carryOut(
    {
      work,
      planned: {plan, planAgain: () => undefined},
      ...{access, journal: state.journal, gate, settings, clock},
      mayAdapt: false,
      ...(world.extensions && {extensions: world.extensions}),
      ...(randomHex && {randomHex}),
    },
    {
      stop,
      show: (event) => {
        world.tell({type: 'run', event})
      },
    },
  )
  if (outcome.failure) draft.problem = describeProblem(outcome.failure)
  return worst(outcome.results)
}

/** What stands in its way, or the same lack of signatures as in an earlier pass. */
function findObstacle(guest: GuestPlan, nonce: string, memory: PassMemory): Ended | undefined {
  const obstacles = guest.actions.flatMap((action) => obstaclesOf(action))
  if (obstacles.length > 0) return {outcome: 'blocked', detail: join(obstacles)}
  const unsigned = guest.actions.flatMap(({blockers}) => blockers)
  if (unsigned.length === 0) return undefined
  const detail = join(unsigned)
  const before = memory.jobRefusals.get(nonce)
  memory.jobRefusals.set(nonce, detail)
  // It is asked once, so that the audit keeps the answer; not in every pass.
  return before === detail ? {outcome: 'refused', refusal: 'pending_signature', detail} : undefined
}

const join = (blockers: readonly Blocker[]): string =>
  [...new Set(blockers.map(({message}) => message))].join('; ')

/** The job's own action is the last; what was done ahead of it does not count if that came to nothing. */
function worst(results: readonly ActionResult[]): Ended {
  const last = results.at(-1)
  if (!last) return {outcome: 'not_started'}
  const {outcome, refusal, detail, op} = last
  return {
    outcome,
    ...(refusal && {refusal}),
    ...(detail !== undefined && {detail}),
    ...(op !== undefined && {operation: op}),
  }
}

function guestOf({target: {kind, vmid}}: Statement): {guest?: GuestId} {
  if (typeof vmid !== 'number' || (kind !== 'lxc' && kind !== 'qemu')) return {}
  return {guest: {kind, vmid}}
}

/** A source may send new jobs for months. */
function forgetGone(memory: PassMemory, results: readonly JobResult[]): void {
  const present = new Set(results.map(({nonce}) => nonce))
  for (const known of [memory.toldJobs, memory.jobRefusals])
    for (const nonce of known.keys()) if (!present.has(nonce)) known.delete(nonce)
}
