// Waits for the task of an operation and says what its end means. A task that failed may have reached its goal all
// the same; one of which nobody knows the end is looked up; our own patience says nothing about it.
import type {ActualGuest} from '../model/actual.ts'
import {isFelhomError} from '../model/felhom-error.ts'
import type {Intent} from '../model/operation.ts'
import type {Upid} from '../model/upid.ts'
import {awaitFollowing, isHandedOn} from './await-following.ts'
import {describeTaskFailure} from './describe-task-failure.ts'
import type {Ended} from './ended.ts'
import {isIrrevocable, isProvable} from './irrevocable.ts'
import {lookAgain} from './look-again.ts'
import type {Underway} from './underway.ts'

export async function settleTask(operation: Underway, upid: Upid): Promise<Ended> {
  const {intent, run} = operation
  if (!(await operation.recordTask(upid))) return operation.leave('its task could not be recorded')
  const timeoutMs = patienceMs(intent, run.options.taskTimeoutMs)
  const status = await run.watcher.wait(upid, timeoutMs)
  switch (status.state) {
    case 'timed_out':
      return operation.leave(`its task still runs after ${String(timeoutMs / 1000)} s`)
    case 'lost':
      return settleUnknownEnd(operation, 'Proxmox no longer knows the task')
    case 'stopped':
      break
  }
  if (status.verdict === 'unexpected') return settleUnknownEnd(operation, KILLED)
  if (status.verdict === 'failed') return settleFailure(operation, upid, status.exit)
  return settleSuccess(operation, upid, status.verdict === 'ok' ? '' : `the task ended with ${status.exit}`)
}

const KILLED = 'the task was killed before it could say how it ended'

/** A shutdown may take as long as the guest was given. */
function patienceMs({body}: Intent, taskTimeoutMs: number): number {
  return body.type === 'shutdown' ? taskTimeoutMs + body.timeoutMs : taskTimeoutMs
}

async function settleSuccess(operation: Underway, upid: Upid, reason: string): Promise<Ended> {
  const {intent} = operation
  if (isHandedOn(upid)) {
    const unfollowed = await settleUnfollowed(operation)
    if (unfollowed) return unfollowed
  }
  if (isProvable(intent)) return settleDestruction(operation, reason)
  if (intent.body.type === 'resize') return settleGrowth(operation, reason)
  const created = intent.body.type === 'create' ? await readCreated(operation) : undefined
  return operation.settle('succeeded', reason, created)
}

/** A machine is started again by another task, which may fail and can be seen to have failed. */
const RETURN_MS = 60_000

/** Undefined: the guest has followed. */
async function settleUnfollowed(operation: Underway): Promise<Ended | undefined> {
  const {intent, run} = operation
  const {reader, clock, taskTimeoutMs} = run.options
  const isRestart = intent.body.type === 'restart'
  const timeoutMs = isRestart ? RETURN_MS : patienceMs(intent, taskTimeoutMs)
  const followed = await awaitFollowing(intent, reader, clock, timeoutMs)
  if (followed === 'yes') return undefined
  if (isRestart && followed === 'no') {
    return operation.settle('failed', 'the guest was shut down, and does not run again')
  }
  return operation.leave('its task ended well, and yet the guest does not follow')
}

/** What cannot be taken back is not called done before it is seen to be. */
async function settleDestruction(operation: Underway, reason: string): Promise<Ended> {
  const {standing} = await lookAgain(operation.intent, operation.run.options.reader)
  if (standing === 'reached') return operation.settle('succeeded', reason)
  return operation.leave('its task ended well, and yet what it should remove is not proved to be gone')
}

/** A resize to the size that a volume already has ends well, and leaves a config that is behind as it was. */
async function settleGrowth(operation: Underway, reason: string): Promise<Ended> {
  const {standing} = await lookAgain(operation.intent, operation.run.options.reader)
  if (standing === 'reached') return operation.settle('succeeded', reason)
  if (standing === 'unknown')
    return operation.leave('its task ended well, and yet the size could not be read')
  return operation.settle('failed', NOT_GROWN)
}

const NOT_GROWN =
  'its task ended well, and yet the config shows another size; if the volume has the new one already, qm disk rescan or pct rescan writes it down'

/** That it cannot be read does not make it less created. */
async function readCreated({intent, run}: Underway): Promise<ActualGuest | undefined> {
  try {
    return await run.options.reader.readGuest(intent.target)
  } catch (error) {
    if (!isFelhomError(error)) throw error
    return undefined
  }
}

/** What cannot be taken back and fails half-way leaves something that a person has to look at. */
async function settleFailure(operation: Underway, upid: Upid, exit: string): Promise<Ended> {
  const {intent, run} = operation
  const {standing, guest} = await lookAgain(intent, run.options.reader)
  const reason = await describeTaskFailure(upid, exit, run.options.reader)
  if (isIrrevocable(intent)) {
    const isIntact = standing === 'untouched' && guest?.lock === undefined
    return isIntact ? operation.settle('failed', reason) : operation.leave(reason)
  }
  if (standing === 'reached') return operation.settle('satisfied', `it is as wanted, though ${reason}`)
  return operation.settle('failed', reason)
}

async function settleUnknownEnd(operation: Underway, why: string): Promise<Ended> {
  const {intent, run} = operation
  const isCreation = intent.body.type === 'create'
  // A creation that was killed has left debris, even if all that we know it by is there.
  if (isCreation && why === KILLED) return operation.leave(why)
  const {standing, guest} = await lookAgain(intent, run.options.reader)
  if (standing !== 'reached') return operation.leave(why)
  return operation.settle('satisfied', `it is as wanted, though ${why}`, isCreation ? guest : undefined)
}
