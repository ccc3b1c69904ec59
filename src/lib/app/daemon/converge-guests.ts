// The middle of a pass: what differs from the desired state, and as much of it done as may be done now.
import type {ActualCluster} from '../../model/actual.ts'
import type {Setback} from '../../model/daemon.ts'
import {frozenVmids} from '../../model/operation.ts'
import type {Blocker, GuestPlan, Plan, PlannedAction} from '../../model/plan.ts'
import type {ActionResult} from '../../model/run-event.ts'
import {blockTogether} from '../../plan/find-blockers.ts'
import {countTriable, resultsWithoutRun} from '../apply/apply-run.ts'
import {workFromFiles, type ApplyWork, type PlannedWork} from '../apply/apply-work.ts'
import {showSignatures} from '../gate/signature-state.ts'
import {limitsOf} from './back-offs.ts'
import {carryOutInPass} from './carry-out-in-pass.ts'
import {digest} from './tell/matter.ts'
import type {PassMemory, PassWorld} from './pass-world.ts'
import {restrainGuest, restrainPlan, type Restraints} from './restrain-plan.ts'
import type {Draft} from './pass-draft.ts'
import type {Scene} from './scene.ts'

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
  const frozen = frozenVmids(state.journal.openOperations())
  const plan = leaveOutKnownRefusals(shown, memory)
  const isIdle = countTriable(plan, frozen) === 0
  const results = isIdle
    ? resultsWithoutRun(plan, frozen)
    : await carryOutInPass(
        {work, planned: keepRestrained({...planned, plan}, restraints), gate: scene.gate, mayAdapt: true},
        scene,
        world,
        draft,
      )
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

/** Whatever the plan becomes by changes of others, the same restraints hold. */
const keepRestrained = (work: PlannedWork, restraints: Restraints): PlannedWork => ({
  plan: work.plan,
  planAgain: (guest) => {
    const again = work.planAgain(guest)
    return again && restrainGuest(again, restraints)
  },
})

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
