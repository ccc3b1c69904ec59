// One step in a guest's lane: is there still a reason, is the guest still as planned, does the gate let it pass, and
// only then the request. Reading, verdict and request are one job, so that nothing of ours comes between.
import {listVolumes} from '../catalog/list-volumes.ts'
import type {ActualGuest} from '../model/actual.ts'
import {isFelhomError} from '../model/felhom-error.ts'
import {formatGuestId} from '../model/guest.ts'
import {findHolding, type Operation} from '../model/operation.ts'
import type {PlannedAction} from '../model/plan.ts'
import type {Refusal} from '../model/approval.ts'
import {askGate, taken, type Executable} from './ask-gate.ts'
import {assessOperation} from './assess-operation.ts'
import {ended, type Ended} from './ended.ts'
import type {GuestLane} from './guest-lane.ts'
import {readFresh, readVacancy, type Fresh} from './read-fresh.ts'
import type {Run} from './run-context.ts'
import {plainBody, plannedImage, sourcesOf} from './to-operation.ts'

/** `planned_again`: the lane has other actions now. `outdated`: all that remains of it is stale. */
export type Step =
  | Ended
  | {readonly turn: 'planned_again' | 'fulfilled'}
  | {readonly turn: 'outdated'; readonly why: string}
  /** It serves another action, which the gate would refuse. */
  | {readonly turn: 'forestalled'; readonly main: PlannedAction; readonly refusal: Refusal}

export async function takeStep(lane: GuestLane, action: Executable, run: Run): Promise<Step> {
  const halted = run.whyHalted()
  if (halted !== undefined) return ended('not_started', halted)
  const {vmid} = lane.address
  const open = findHolding(run.options.journal.openOperations(), [vmid, ...sourcesOf(action)])
  if (open) return ended('frozen', describeHolding(open, vmid))
  try {
    return action.type === 'create' ? await create(lane, action, run) : await change(lane, action, run)
  } catch (error) {
    if (!isFelhomError(error)) throw error
    if (error.code === 'interrupted') return ended('not_started', error.message)
    return error.code === 'guest_missing'
      ? ended('stale', `it is no longer where the plan saw it: ${error.message}`)
      : ended('failed', `nothing was sent: ${error.message}`)
  }
}

function describeHolding({intent: {op, target}, state}: Operation, vmid: number): string {
  const whose = target.vmid === vmid ? 'this guest' : formatGuestId(target)
  return `operation ${op} of ${whose} is ${state}`
}

async function create(
  lane: GuestLane,
  action: Extract<PlannedAction, {type: 'create'}>,
  run: Run,
): Promise<Step> {
  const vacancy = await readVacancy(action, lane.address, run.options)
  if (!vacancy) return ended('stale', taken(lane))
  return askGate(lane, action, vacancy, run)
}

async function change(
  lane: GuestLane,
  action: Exclude<Executable, {type: 'create'}>,
  run: Run,
): Promise<Step> {
  const fresh = await readFresh(action, lane.plan, lane.address, run.options)
  const {guest} = fresh
  if (!guest) return ended('stale', 'it no longer exists')
  if (!lane.isSameGuest(guest)) return ended('stale', 'there is another guest under its number')
  if (lane.mustPlanAgain(guest)) return planAgain(lane, action, fresh, run)
  return changeAsPlanned(lane, action, fresh, guest, run)
}

/** Somebody has changed the guest since it was planned. */
async function planAgain(
  lane: GuestLane,
  action: Exclude<Executable, {type: 'create'}>,
  fresh: Fresh,
  run: Run,
): Promise<Step> {
  const {reader, mayAdapt} = run.options
  // A config alone does not suffice to plan with.
  const guest = action.type === 'set-config' ? await reader.readGuest(lane.address) : fresh.guest
  const plan = guest && run.options.planAgain(guest)
  if (!plan) return {turn: 'outdated', why: CHANGED}
  if (lane.isFulfilledBy(plan)) return {turn: 'fulfilled'}
  if (!mayAdapt && !lane.isSameAs(plan)) return {turn: 'outdated', why: CHANGED}
  return lane.replace(plan)
    ? {turn: 'planned_again'}
    : {turn: 'outdated', why: 'others keep changing the guest'}
}

const CHANGED = 'the guest was changed by others since it was planned'

async function changeAsPlanned(
  lane: GuestLane,
  action: Exclude<Executable, {type: 'create'}>,
  fresh: Fresh,
  guest: ActualGuest,
  run: Run,
): Promise<Step> {
  if (guest.lock !== undefined) return ended('blocked', `locked (${guest.lock}): hands off`)
  lane.recognise(guest)
  const reason = standsInTheWay(lane, action, guest, fresh)
  if (reason === 'changed') return planAgain(lane, action, fresh, run)
  if (reason) return reason
  return (await forestall(lane, action, guest, run)) ?? askGate(lane, action, fresh, run)
}

/** No guest is shut down for a destruction that will be refused. */
async function forestall(
  lane: GuestLane,
  action: Executable,
  guest: ActualGuest,
  {options: {gate, run}}: Run,
): Promise<Step | undefined> {
  const main = action.type === 'shutdown' && lane.remaining.find(({type}) => type === 'destroy')
  if (!main) return undefined
  const refusal = await gate.preview({action: main, target: lane.address, guest, run})
  return refusal && {turn: 'forestalled', main, refusal}
}

/** Undefined: all is as it was planned from, so that there is something to do. */
function standsInTheWay(
  lane: GuestLane,
  action: Exclude<Executable, {type: 'create'}>,
  guest: ActualGuest,
  {snapshots}: Fresh,
): Ended | 'changed' | undefined {
  if (action.type === 'destroy') {
    const doubt = whyNotToDestroy(action, guest)
    return doubt === undefined ? undefined : ended('stale', doubt)
  }
  if (action.type === 'snapshot-delete' || action.type === 'snapshot-rollback') {
    if (snapshots?.some(({name}) => name === action.snapshot)) return undefined
    const absent = `there is no snapshot ${action.snapshot}`
    return action.type === 'snapshot-delete' ? ended('satisfied', absent) : ended('stale', absent)
  }
  // The digest covers the config and its pending changes; only the run state can have changed.
  const isConfigOnly = action.type === 'set-config' || action.type === 'resize'
  if (isConfigOnly && lane.isAsRead(guest)) return undefined
  const body = plainBody(action)
  const standing = assessOperation({body, before: plannedImage(action), target: lane.address}, guest)
  switch (standing) {
    case 'untouched':
      return undefined
    case 'reached':
      return holdsSecrets(action) ? undefined : ended('satisfied', 'it is so already')
    case 'changed':
      // Most likely Proxmox itself has rewritten it, as a consequence of what we wrote before.
      return isConfigOnly ? 'changed' : ended('stale', 'it is neither as planned from nor as wanted')
    case 'unknown':
      return ended('failed', 'nothing was sent: its present state could not be read')
  }
}

const holdsSecrets = (action: PlannedAction): boolean =>
  action.type === 'set-config' && action.changes.some(({secret}) => secret === true)

/** It must be stopped, and have exactly the volumes that somebody agreed to lose. */
function whyNotToDestroy(
  {volumes}: Extract<PlannedAction, {type: 'destroy'}>,
  {kind, run, config}: ActualGuest,
): string | undefined {
  if (run !== 'stopped') return `it is ${run}, and only what is stopped is destroyed`
  if (!config.known) return 'its config could not be read'
  const keysOf = (list: readonly {option: string; text: string}[]): string =>
    list.map(({option, text}) => `${option}: ${text}`).join('\n')
  const isAgreed = keysOf(listVolumes(kind, config.current)) === keysOf(volumes)
  return isAgreed ? undefined : 'its volumes are not those that the plan would destroy'
}
