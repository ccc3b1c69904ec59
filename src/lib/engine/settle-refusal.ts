// After a request that got no clean answer. What was surely not carried out has failed. For everything else the world
// is looked at: a task that is ours is awaited, a goal that is reached is reached, and only an answer that came whole
// from Proxmox itself, with nothing to show for it, is a failure. The rest stays open.
import {DispatchError} from '../model/dispatch-error.ts'
import type {ErrorCode} from '../model/error-codes.ts'
import {isFelhomError} from '../model/felhom-error.ts'
import type {TaskEntry} from '../model/task.ts'
import type {Ended} from './ended.ts'
import {findOrphans, taskNode} from './find-orphans.ts'
import {isIrrevocable} from './irrevocable.ts'
import {lookAgain} from './look-again.ts'
import {settleTask} from './settle-task.ts'
import type {Underway} from './underway.ts'

export async function settleRefusal(operation: Underway, error: unknown): Promise<Ended> {
  if (!(error instanceof DispatchError)) throw error
  if (error.code === 'config_changed') {
    // Proxmox compares the digest before it writes anything.
    return {...(await operation.settle('superseded', error.message)), isRaced: true}
  }
  if (error.executed === 'no') return operation.settle('failed', error.message)
  const isWhole = WHOLE_ANSWERS.has(error.code)
  if (operation.intent.body.type === 'set-config') return settleWrite(operation, error.message, isWhole)
  return settleTaskless(operation, error.message, isWhole)
}

/**
 * Codes of answers that the daemon of Proxmox itself gave to the end. Then nothing is under way any more but what it
 * has forked, and that was listed before the answer was made. A gateway's word, or half an answer, proves nothing.
 */
const WHOLE_ANSWERS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'proxmox_error',
  'parameters_refused',
  'guest_missing',
  'guest_locked',
  'config_locked',
  'no_quorum',
])

/** A config write starts no task: it is done, or not, or still waits somewhere on its way. */
async function settleWrite(operation: Underway, message: string, isWhole: boolean): Promise<Ended> {
  const {standing} = await lookAgain(operation.intent, operation.run.options.reader)
  if (standing === 'reached') return operation.settle('satisfied', `it is as wanted, though: ${message}`)
  if (!isWhole || standing === 'unknown') return operation.leave(message)
  const rest = standing === 'untouched' ? '' : '; some of it was written'
  return operation.settle('failed', `${message}${rest}`)
}

async function settleTaskless(operation: Underway, message: string, isWhole: boolean): Promise<Ended> {
  const {intent, run} = operation
  const found = await searchOwnTask(operation)
  if (found === 'unclear') return operation.leave(message)
  if (found) return settleTask(operation, found.upid)
  if (!isWhole) return operation.leave(message)
  if (isIrrevocable(intent)) return operation.settle('failed', message)
  const {standing} = await lookAgain(intent, run.options.reader)
  if (standing === 'reached') return operation.settle('satisfied', `it is as wanted, though: ${message}`)
  return standing === 'unknown' ? operation.leave(message) : operation.settle('failed', message)
}

/** Undefined: none was started. `unclear`: more than one could be it, or it cannot be told. */
async function searchOwnTask({intent, run}: Underway): Promise<TaskEntry | 'unclear' | undefined> {
  try {
    const {tasks, isContested} = await findOrphans(intent, [taskNode(intent)], run.options)
    return tasks.length > 1 || (tasks.length === 1 && isContested) ? 'unclear' : tasks[0]
  } catch (error) {
    if (!isFelhomError(error)) throw error
    return 'unclear'
  }
}
