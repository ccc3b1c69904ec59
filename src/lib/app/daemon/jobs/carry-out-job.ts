// One signed job whose signatures hold: planned on the guest as it is, restrained as all that the daemon does, and
// handed to the engine, which asks the gate once more.
import type {Statement} from '../../../model/approval.ts'
import type {JobResult} from '../../../model/daemon.ts'
import {obstaclesOf, type Blocker, type GuestPlan} from '../../../model/plan.ts'
import type {ActionResult} from '../../../model/run-event.ts'
import {isDone} from '../../../report/apply-outcomes.ts'
import {workFromJob, type GuestJob} from '../../gate/run-signed-job.ts'
import {showSignatures} from '../../gate/signature-state.ts'
import {carryOutInPass} from '../carry-out-in-pass.ts'
import type {Scene} from '../scene.ts'
import {noteRefusal, recallRefusal} from './heard-refusals.ts'
import {findDeviation} from './job-of-statement.ts'
import type {Draft} from '../pass-draft.ts'
import type {PassMemory, PassWorld} from '../pass-world.ts'
import {restrainPlan} from '../restrain-plan.ts'
import {requireSignature} from './signed-only-gate.ts'

export type Ended = Pick<JobResult, 'outcome' | 'refusal' | 'detail' | 'operation'>

/** Throws usage for what is not there. */
export async function carryOutJob(
  job: GuestJob,
  statement: Statement,
  scene: Scene,
  world: PassWorld,
  memory: PassMemory,
  draft: Draft,
): Promise<Ended> {
  const {access, gate, inspector, view} = scene
  const {settings, clock} = world
  const work = workFromJob(job)
  const actual = await view.read()
  const planned = await work.plan(actual, access.reader)
  const [wanted] = planned.plan.guests
  const deviation = wanted && findDeviation(wanted, actual, statement)
  if (deviation !== undefined) return {outcome: 'refused', refusal: 'binding_mismatch', detail: deviation}
  const withhold = memory.permissionsOf(settings.daemon).withholdAt(clock.now())
  const restraints = {
    withhold,
    suspensions: world.readSuspensions(),
    backOffs: [],
  }
  const plan = restrainPlan(await showSignatures(planned.plan, actual, inspector), restraints)
  const [guest] = plan.guests
  if (!guest) return {outcome: 'satisfied', detail: 'there is nothing left to do'}
  const why = findObstacle(guest, statement.nonce, memory)
  if (why) return why
  const results = await carryOutInPass(
    {
      ...{work, planned: {plan, planAgain: () => undefined}, mayAdapt: false},
      gate: requireSignature(gate, statement.nonce),
    },
    scene,
    world,
    draft,
  )
  const ended = conclude(results)
  if (ended.refusal) noteRefusal(memory.jobRefusals, statement.nonce, ended.refusal)
  return ended
}

/** What stands in its way, or the same lack of signatures as in an earlier pass. */
function findObstacle(guest: GuestPlan, nonce: string, memory: PassMemory): Ended | undefined {
  const obstacles = guest.actions.flatMap((action) => obstaclesOf(action))
  if (obstacles.length > 0) return {outcome: 'blocked', detail: join(obstacles)}
  const unsigned = guest.actions.flatMap(({blockers}) => blockers)
  if (unsigned.length === 0) return undefined
  const detail = join(unsigned)
  const refusal = recallRefusal(memory.jobRefusals, nonce, detail)
  return refusal && {outcome: 'refused', refusal, detail}
}

const join = (blockers: readonly Blocker[]): string =>
  [...new Set(blockers.map(({message}) => message))].join('; ')

/** The job's own action is the last; where it was left out for the sake of one ahead of it, that one tells why. */
function conclude(results: readonly ActionResult[]): Ended {
  const last = results.at(-1)
  if (!last) return {outcome: 'not_started'}
  const ahead = last.outcome === 'skipped' ? results.find((result) => !isDone(result)) : undefined
  if (ahead && ahead !== last) return tellAhead(ahead)
  const {outcome, refusal, detail, op} = last
  return {
    outcome,
    ...(refusal && {refusal}),
    ...(detail !== undefined && {detail}),
    ...(op !== undefined && {operation: op}),
  }
}

/** Without its operation: the one that the job is about has not begun, and its signature is not used. */
const tellAhead = ({outcome, refusal, detail, action}: ActionResult): Ended => ({
  outcome,
  ...(refusal && {refusal}),
  detail: `${action.type} before it: ${detail ?? outcome}`,
})
