// The middle of a pass: what differs from the desired state, and as much of it done as may be done now.
import type {FullGate} from '../../gate/gate.ts'
import type {ActualCluster} from '../../model/actual.ts'
import type {Setback} from '../../model/daemon.ts'
import type {Blocker, GuestPlan, Plan, PlannedAction} from '../../model/plan.ts'
import type {ActionResult} from '../../model/run-event.ts'
import {blockTogether} from '../../plan/find-blockers.ts'
import {carryOut, countTriable, hasSent, resultsWithoutRun} from '../apply/apply-run.ts'
import {workFromFiles, type ApplyWork, type PlannedWork} from '../apply/apply-work.ts'
import type {WritingAccess} from '../compose.ts'
import type {OpenState} from '../state/open-state.ts'
import {showSignatures, type Inspector} from '../gate/signature-state.ts'
import {limitsOf} from './back-offs.ts'
import type {ClusterView} from './cluster-view.ts'
import {digest} from './tell/matter.ts'
import type {PassMemory, PassWorld} from './pass-world.ts'
import type {Delivery} from './ports.ts'
import {restrainGuest, restrainPlan, type Restraints} from './restrain-plan.ts'
import {describeProblem, type Draft} from './pass-draft.ts'

export interface Scene {
  readonly state: OpenState
  readonly access: WritingAccess
  readonly gate: FullGate
  readonly inspector: Inspector
  readonly delivery: Delivery
  readonly view: ClusterView
}

export async function convergeGuests(
  scene: Scene,
  world: PassWorld,
  memory: PassMemory,
  draft: Draft,
): Promise<void> {
  const {delivery, state, view} = scene
  draft.backOffs = memory.backOffs.waiting(world.clock.now())
  if (!delivery.desired) return
  const actual = await view.read()
  const work = workFromFiles(delivery.desired, [], world.env, memory.settled)
  const planned = await planWork(work, actual, scene)
  memory.backOffs.compare(planned.plan.guests)
  draft.setbacks = weighSetbacks(planned.plan, world, memory)
  const restraints = restrain(world, memory, draft)
  const shown = restrainPlan(planned.plan, restraints)
  draft.plan = shown
  const frozen = new Set(state.journal.openOperations().map(({intent}) => intent.target.vmid))
  const plan = leaveOutKnownRefusals(shown, memory)
  const isIdle = countTriable(plan, frozen) === 0
  const results = isIdle
    ? resultsWithoutRun(plan, frozen)
    : await run({...planned, plan}, work, restraints, scene, world, draft)
  memory.refusals = listHeard(shown, results, memory.refusals)
  learn(shown, results, world, memory)
  draft.results = results
  draft.backOffs = memory.backOffs.waiting(world.clock.now())
}

/** A guest whose desired state cannot be reached as it is written waits; the others are none the worse for it. */
async function planWork(work: ApplyWork, actual: ActualCluster, scene: Scene): Promise<PlannedWork> {
  const planned = await work.plan(actual, scene.access.reader)
  const plan = await showSignatures(planned.plan, actual, scene.inspector)
  return {
    plan: {...plan, guests: plan.guests.map(holdMistaken)},
    planAgain: (guest) => {
      const again = planned.planAgain(guest)
      return again && holdMistaken(again)
    },
  }
}

function holdMistaken(plan: GuestPlan): GuestPlan {
  const mistake = plan.problems.find(({severity}) => severity === 'error')
  if (!mistake || plan.actions.length === 0) return plan
  const blocker: Blocker = {code: 'withheld', message: `the guest has an error: ${mistake.message}`}
  const actions = plan.actions.map((action) => ({...action, blockers: [...action.blockers, blocker]}))
  return {...plan, actions}
}

function restrain({clock, settings}: PassWorld, memory: PassMemory, draft: Draft): Restraints {
  const nowMs = clock.now()
  return {
    withhold: memory.permissionsOf(settings.daemon).withholdAt(nowMs),
    suspensions: draft.suspensions,
    backOffs: memory.backOffs.waiting(nowMs),
  }
}

async function run(
  planned: PlannedWork,
  work: ApplyWork,
  restraints: Restraints,
  {access, state, gate, view}: Scene,
  world: PassWorld,
  draft: Draft,
): Promise<readonly ActionResult[]> {
  const {settings, clock, randomHex, stop} = world
  const outcome = await carryOut(
    {
      work,
      planned: {
        plan: planned.plan,
        planAgain: (guest) => {
          const again = planned.planAgain(guest)
          return again && restrainGuest(again, restraints)
        },
      },
      ...{access, journal: state.journal, gate, settings, clock},
      mayAdapt: true,
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
  if (hasSent(outcome)) view.forget()
  return outcome.results
}

/**
 * The gate is asked, and its answer audited, when something first needs a signature, and again when what it would
 * say has changed. In between it would say the same in every pass for months.
 */
function leaveOutKnownRefusals(plan: Plan, {refusals}: PassMemory): Plan {
  const guests = plan.guests.map((guest) => {
    const actions = guest.actions.map((action) => {
      const key = keyOfRefusal(guest, action)
      const isHeard = key !== undefined && refusals.has(key)
      return isHeard ? {...action, blockers: [...action.blockers, HEARD]} : action
    })
    // Nothing that serves one of these, either: it may be new to the gate, which would let it pass alone.
    return {...guest, actions: blockTogether(actions)}
  })
  return {...plan, guests}
}

/** What was heard before and still stands, and what was heard now: where it was held back, nobody has asked the gate. */
function listHeard(plan: Plan, results: readonly ActionResult[], before: ReadonlySet<string>): Set<string> {
  const isRefusal = ({outcome, refusal}: ActionResult): boolean =>
    outcome === 'refused' && refusal !== 'withheld'
  const refused = new Set(results.filter(isRefusal).map(({guest}) => guest.vmid))
  const gone = results.filter(
    (one) => refused.has(one.guest.vmid) && (isRefusal(one) || one.outcome === 'skipped'),
  )
  const asked = new Set(gone.map(({guest, action}) => `${guest.vmid} ${action.type}`))
  const heard = new Set<string>()
  for (const guest of plan.guests)
    for (const action of guest.actions) {
      const key = keyOfRefusal(guest, action)
      if (key !== undefined && (before.has(key) || asked.has(`${guest.vmid} ${action.type}`))) heard.add(key)
    }
  return heard
}

/** Undefined: it lacks no signature. */
function keyOfRefusal({vmid}: GuestPlan, action: PlannedAction): string | undefined {
  const refusal = action.blockers.find(({code}) => code === 'needs_signature')
  return refusal && digest(JSON.stringify([vmid, action.type, describeChanges(action), refusal.message]))
}

const HEARD: Blocker = {code: 'withheld', message: 'the gate was asked before, and its answer is the same'}

const describeChanges = (action: PlannedAction): readonly string[] =>
  action.type === 'set-config' ? action.changes.map(({option, after}) => `${option}=${after ?? ''}`) : []

/** What recovery has found out to have failed counts as a failure of this pass, if there is anything left to do. */
function weighSetbacks({guests}: Plan, world: PassWorld, {backOffs, setbacks}: PassMemory): Setback[] {
  const left = guests.filter(({vmid, actions}) => setbacks.has(vmid) && actions.length > 0)
  backOffs.fail(left, world.clock.now(), limitsOf(world.settings))
  const found = left.flatMap(({vmid}) => setbacks.get(vmid) ?? [])
  setbacks.clear()
  return found
}

function learn(plan: Plan, results: readonly ActionResult[], world: PassWorld, memory: PassMemory): void {
  memory.backOffs.learn(plan.guests, results, world.clock.now(), limitsOf(world.settings))
}
