// The lane of one guest: its actions one after another, each a job of its own in the queue; what becomes of the rest
// when one does not succeed; and how a guest goes on that has just been created.
import {findOption} from '../catalog/option.ts'
import type {ActualGuest} from '../model/actual.ts'
import {obstaclesOf, type GuestPlan, type PlannedAction} from '../model/plan.ts'
import type {ActionOutcome, ActionResult} from '../model/run-event.ts'
import {ended, type Ended} from './ended.ts'
import {GuestLane} from './guest-lane.ts'
import {describeError, type Run} from './run-context.ts'
import {takeStep, type Step} from './take-step.ts'
import {isCopy, sourcesOf} from './to-operation.ts'

export async function runGuest(plan: GuestPlan, run: Run): Promise<readonly ActionResult[]> {
  const lane = new GuestLane(plan)
  for (let action = lane.next; action; action = lane.next) {
    if (action.type === 'migrate' || obstaclesOf(action).length > 0) {
      end(lane, action, ended('blocked', describeBlockers(action)), run)
      continue
    }
    const executable = action
    const step = await run.queue.submit(
      lane.address,
      () => tryStep(lane, executable, run),
      // The journal freezes them too while the copy is made: whoever wants them meanwhile has to wait.
      sourcesOf(executable),
    )
    conclude(lane, action, step, run)
  }
  return lane.results
}

function describeBlockers(action: PlannedAction): string {
  const obstacles = obstaclesOf(action)
  if (obstacles.length === 0) return 'felhom does not move guests yet'
  return obstacles.map(({message}) => message).join('; ')
}

/** An error that is nobody's answer is a bug: it ends the run, and the other lanes come to their ends. */
async function tryStep(
  lane: GuestLane,
  action: Exclude<PlannedAction, {type: 'migrate'}>,
  run: Run,
): Promise<Step> {
  try {
    return await takeStep(lane, action, run)
  } catch (error) {
    run.fail(error)
    return ended('not_started', describeError(error))
  }
}

function conclude(lane: GuestLane, action: PlannedAction, step: Step, run: Run): void {
  if ('turn' in step) {
    if (step.turn === 'fulfilled') endRest(lane, 'satisfied', 'it is so already', run)
    if (step.turn === 'outdated') endRest(lane, 'stale', step.why, run)
    if (step.turn === 'forestalled') forestall(lane, action, step, run)
    return
  }
  if (step.isRaced && lane.noteRace()) {
    tellRaced(lane, action, step, run)
    return
  }
  end(lane, action, step, run)
  if (action.type === 'create' && isDone(step)) continueCreated(lane, action, step.created, run)
  else concludeRest(lane, action, step, run)
}

/** Whoever was told that it has begun is told how it ended; the result is that of the next try. */
function tellRaced(lane: GuestLane, action: PlannedAction, step: Ended, run: Run): void {
  if (step.op === undefined) return
  const detail = [step.detail, 'it is tried once more'].filter((text) => text !== undefined).join('; ')
  run.emit({type: 'action_ended', result: lane.describe(action, {...step, detail})})
}

const isDone = ({outcome}: Ended): boolean => outcome === 'succeeded' || outcome === 'satisfied'

/** What the outcome of one action means for those behind it. */
function concludeRest(lane: GuestLane, action: PlannedAction, {outcome, detail = ''}: Ended, run: Run): void {
  switch (outcome) {
    case 'failed':
    case 'in_flight':
    case 'stale':
      endRest(lane, 'skipped', `${action.type} before it did not succeed`, run)
      return
    case 'frozen':
    case 'not_started':
      endRest(lane, outcome, detail, run)
      return
    case 'refused':
      skipServants(lane, action, run)
      return
    default:
      return
  }
}

/** What would have been done for the sake of something that the gate refuses. */
function forestall(
  lane: GuestLane,
  servant: PlannedAction,
  {main, refusal}: Extract<Step, {turn: 'forestalled'}>,
  run: Run,
): void {
  end(lane, servant, ended('skipped', `${main.type} behind it was refused`), run)
  end(lane, main, ended('refused', refusal.message, {refusal: refusal.code}), run)
}

/** With it goes what serves it, and what was to wait for that. */
function skipServants(lane: GuestLane, main: PlannedAction, run: Run): void {
  for (const servant of lane.remaining.filter((other) => isServant(other, main))) {
    end(lane, servant, ended('skipped', `${main.type} before it was refused`), run)
    skipServants(lane, servant, run)
  }
}

/** What makes sense only after the other. */
function isServant(servant: PlannedAction, main: PlannedAction): boolean {
  if (main.type === 'create') return true
  if (main.type === 'restart') return servant.type === 'resize'
  return servant.type === 'restart' && main.type === 'set-config' && main.impact === 'restart'
}

/** The new guest is planned as one that exists: a copy's options and sizes are set now, then its run state. */
function continueCreated(
  lane: GuestLane,
  action: Extract<PlannedAction, {type: 'create'}>,
  created: ActualGuest | undefined,
  run: Run,
): void {
  if (!created) {
    endRest(lane, 'skipped', 'the new guest could not be read', run)
    return
  }
  const plan = run.options.planAgain(created)
  // Without the desired state the saved plan says all that is left.
  if (plan) lane.begin(plan, secretsOfCopy(action, created))
}

/** Neither clone nor restore takes secrets: those that a config holds are written into the copy. */
function secretsOfCopy(
  {from, options}: Extract<PlannedAction, {type: 'create'}>,
  {kind}: ActualGuest,
): PlannedAction[] {
  const changes = options.filter(({option, secret}) => secret === true && findOption(kind, option))
  if (!isCopy(from) || changes.length === 0) return []
  return [
    {
      type: 'set-config',
      changes,
      why: 'a copy takes its secrets once it is made',
      impact: 'none',
      reversible: false,
      class: 'benign',
      needs: [],
      blockers: [],
    },
  ]
}

function end(lane: GuestLane, action: PlannedAction, how: Ended, run: Run): void {
  const detail = [how.detail, describePending(lane, action, how)]
    .filter((text) => text !== undefined)
    .join('; ')
  const result = lane.end(action, {...how, ...(detail !== '' && {detail})})
  run.emit({type: 'action_ended', result})
}

/** A success that does not yet show. */
function describePending(
  {remaining}: GuestLane,
  action: PlannedAction,
  {outcome}: Ended,
): string | undefined {
  if (action.type !== 'set-config' || outcome !== 'succeeded') return undefined
  const names = action.changes.filter(({impact}) => impact === 'restart').map(({option}) => option)
  const willRestart = remaining.some((one) => one.type === 'restart' && obstaclesOf(one).length === 0)
  if (names.length === 0 || willRestart) return undefined
  return `${names.join(', ')} wait${names.length === 1 ? 's' : ''} for a restart`
}

function endRest(lane: GuestLane, outcome: ActionOutcome, detail: string, run: Run): void {
  for (const action of lane.remaining) {
    const how =
      obstaclesOf(action).length > 0 ? ended('blocked', describeBlockers(action)) : ended(outcome, detail)
    end(lane, action, how, run)
  }
}
