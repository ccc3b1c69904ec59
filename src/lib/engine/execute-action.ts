// One request, from its record in the journal to its end. It takes only what the gate let pass; the record is on disk
// before the request leaves; the request leaves once. What is not known to have ended stays open in the journal.
import type {AuthorizedAction, AuthorizedJob} from '../gate/gate.ts'
import {isFelhomError} from '../model/felhom-error.ts'
import type {Intent, JournaledIntent} from '../model/operation.ts'
import {ended, type Ended} from './ended.ts'
import type {Dispatched, JobExecutor, Secrets} from './ports.ts'
import type {Fresh} from './read-fresh.ts'
import {describeError, type Run} from './run-context.ts'
import {settleRefusal} from './settle-refusal.ts'
import {settleTask} from './settle-task.ts'
import {toIntent, toJobIntent} from './to-operation.ts'
import {Underway} from './underway.ts'

export async function executeAction(
  authorized: AuthorizedAction,
  fresh: Fresh,
  name: string | undefined,
  run: Run,
): Promise<Ended> {
  const intent = describeIntent(authorized, fresh, name, run)
  let secrets: Secrets
  try {
    secrets = await readSecrets(intent, run)
  } catch (error) {
    if (!isFelhomError(error)) throw error
    return ended('failed', `nothing was sent: ${error.message}`)
  }
  return startAndSend(intent, run, (journaled) => run.options.writer.dispatch(journaled, secrets))
}

/** Of a job that no plan holds: sent by whoever has brought the means, under the same rules. */
export function executeJob(authorized: AuthorizedJob, executor: JobExecutor, run: Run): Promise<Ended> {
  const intent = toJobIntent(authorized, {
    op: run.nextOperation(),
    run: run.options.run,
    atMs: run.options.clock.now(),
  })
  return startAndSend(intent, run, executor)
}

async function startAndSend(intent: Intent, run: Run, dispatch: JobExecutor): Promise<Ended> {
  const halted = run.whyHalted()
  if (halted !== undefined) return ended('not_started', halted)
  let journaled: JournaledIntent
  try {
    journaled = await run.options.journal.start(intent)
  } catch (error) {
    return notStarted(error, run)
  }
  return send(new Underway(journaled, run), dispatch)
}

function describeIntent(
  authorized: AuthorizedAction,
  {knownTasks, sourceNode}: Fresh,
  name: string | undefined,
  run: Run,
): Intent {
  const {options} = run
  return toIntent(authorized, {
    op: run.nextOperation(),
    run: options.run,
    name,
    knownTasks,
    ...(sourceNode !== undefined && {sourceNode}),
    atMs: options.clock.now(),
    randomHex: (digits) => options.randomHex(digits),
  })
}

function readSecrets({body, target}: Intent, {options}: Run): Promise<Secrets> {
  const names = 'secrets' in body ? (body.secrets ?? []) : []
  return names.length === 0 ? Promise.resolve({}) : options.secretsFor(target, names)
}

/** Without a durable record nothing is sent; if it is the disk that failed, by nobody any more. */
function notStarted(error: unknown, run: Run): Ended {
  if (isFelhomError(error, 'key_used')) return ended('refused', error.message)
  if (isFelhomError(error, 'guest_frozen')) return ended('frozen', error.message)
  run.fail(error)
  return ended('not_started', `nothing was sent: ${describeError(error)}`)
}

function announce({op, name, body, target: {kind, vmid, node}}: Intent, run: Run): void {
  run.emit({type: 'action_started', guest: {kind, vmid}, node, name, action: body.type, op})
}

async function send(operation: Underway, dispatch: JobExecutor): Promise<Ended> {
  const {intent, run} = operation
  // While this record was being written, another may have failed.
  if (run.failure) return operation.leave('it was not sent, for the journal failed')
  try {
    announce(intent, run)
    const answer = await dispatchOnce(intent, dispatch)
    if ('error' in answer) return await settleRefusal(operation, answer.error)
    if (answer.kind === 'done') return await operation.settle('succeeded', '')
    return await settleTask(operation, answer.upid)
  } catch (error) {
    run.fail(error)
    return operation.leave(describeError(error))
  }
}

async function dispatchOnce(
  intent: JournaledIntent,
  dispatch: JobExecutor,
): Promise<Dispatched | {readonly error: unknown}> {
  try {
    return await dispatch(intent)
  } catch (error) {
    return {error}
  }
}
