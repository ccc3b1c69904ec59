// The last question before a request: does the gate let it pass? Whoever it asks in turn may take seconds; the guest
// that the verdict is about is always the guest as it is now.
import type {Weighed} from '../gate/gate.ts'
import {FelhomError} from '../model/felhom-error.ts'
import type {PlannedAction} from '../model/plan.ts'
import {ended, type Ended} from './ended.ts'
import {executeAction} from './execute-action.ts'
import type {GuestLane} from './guest-lane.ts'
import {isUnchanged, readFresh, readVacancy, type Fresh} from './read-fresh.ts'
import type {Run} from './run-context.ts'

export type Executable = Exclude<PlannedAction, {type: 'migrate'}>

/**
 * Rules of plugins may have taken seconds to answer. What was read before them is worth nothing then: only the guest
 * that they were asked about, and no other, may be changed on their word.
 */
export async function askGate(lane: GuestLane, action: Executable, fresh: Fresh, run: Run): Promise<Ended> {
  const {gate, run: id} = run.options
  const weighed = await gate.weigh?.({action, target: lane.address, guest: fresh.guest, run: id})
  if (!weighed) return decide(lane, action, fresh, run)
  const halted = run.whyHalted()
  if (halted !== undefined) return ended('not_started', halted)
  const again =
    action.type === 'create'
      ? await readVacancy(action, lane.address, run.options)
      : await readFresh(action, lane.plan, lane.address, run.options)
  if (!again) return ended('stale', taken(lane))
  if (!isUnchanged(fresh, again)) return ended('stale', CHANGED_MEANWHILE, {isRaced: true})
  return decide(lane, action, again, run, weighed)
}

const CHANGED_MEANWHILE = 'the guest was changed by others while plugins were asked about it'

async function decide(
  lane: GuestLane,
  action: Executable,
  fresh: Fresh,
  run: Run,
  weighed?: Weighed,
): Promise<Ended> {
  const {gate, journal, run: id} = run.options
  const request = {action, target: lane.address, guest: fresh.guest, run: id}
  const verdict = await gate.authorize(request, weighed, () => run.whyHalted())
  if (!verdict.allowed) {
    const {code, message} = verdict.refusal
    // What the gate decides must be on disk: if that fails, it fails for every guest.
    if (code === 'internal_error' || code === 'store_error') {
      run.fail(undecided(message))
      return ended('not_started', `nothing was sent: ${message}`, {refusal: code})
    }
    return ended('refused', message, {refusal: code})
  }
  const {authorized} = verdict
  if (authorized.class === 'destructive' && journal.disarmed().length > 0) {
    return ended(
      'refused',
      'Proxmox shows tasks of our token that the journal does not know: felhom journal rearm',
    )
  }
  return executeAction(authorized, fresh, lane.plan.name, run)
}

const undecided = (message: string): FelhomError =>
  new FelhomError('journal_failed', message, {
    hint: 'Check the free space (df) and the health of the disk of the state directory, then try again.',
    doubt: 'Nothing was sent because of this decision.',
  })

export const taken = ({address}: GuestLane): string => `number ${String(address.vmid)} is taken by now`
