// What Proxmox says of the task of an open operation. If the answer with its id never came, the task is searched
// for, though not before the request has had the time to show itself.
import {isFelhomError} from '../model/felhom-error.ts'
import type {Operation} from '../model/operation.ts'
import type {TaskStatus} from '../model/task.ts'
import {parseUpid, type Upid} from '../model/upid.ts'
import {findOrphans, taskNode, taskTypes, type OrphanSearch} from './find-orphans.ts'
import {locateGuest} from './observe-guest.ts'
import type {ClusterObserver} from './observe-cluster.ts'
import type {GuestReader, TaskReader} from './ports.ts'
import type {Remote} from './recovery-facts.ts'

export interface TaskObservation extends OrphanSearch {
  readonly reader: GuestReader & TaskReader
  readonly cluster: ClusterObserver
  /** When the recovery began. */
  readonly startedMs: number
  readonly settleMs: number
  now(): number
}

export interface ObservedTask {
  readonly remote: Remote
  /** The task that was found to be the operation's. */
  readonly orphan?: Upid
}

export async function observeTask(operation: Operation, look: TaskObservation): Promise<ObservedTask> {
  try {
    if (operation.upid !== undefined)
      return {remote: remoteOf(await look.reader.taskStatus(parseUpid(operation.upid)))}
    return await searchTask(operation, look)
  } catch (error) {
    if (!isFelhomError(error)) throw error
    return {remote: {task: 'unreachable', reason: error.message}}
  }
}

async function searchTask({intent}: Operation, look: TaskObservation): Promise<ObservedTask> {
  // A request that lies in the future was noted by a clock that was put back since.
  const untilMs = Math.min(intent.atMs, look.startedMs) + look.settleMs
  if (look.now() < untilMs) return {remote: {task: 'unsettled', untilMs}}
  if (taskTypes(intent).length === 0) return {remote: {task: 'none'}}
  const {tasks, isContested} = await findOrphans(intent, await nodesToSearch(intent, look), look)
  const [orphan] = tasks
  if (!orphan) return {remote: {task: 'none'}}
  if (tasks.length > 1 || isContested)
    return {remote: {task: 'several', upids: tasks.map((task) => task.upid.text)}}
  return {remote: remoteOf(orphan.status), orphan: orphan.upid}
}

/** The journaled node, and of a guest that has moved the present one. */
async function nodesToSearch(intent: Operation['intent'], look: TaskObservation): Promise<string[]> {
  const journaled = taskNode(intent)
  if (intent.body.type === 'create') return [journaled, intent.target.node]
  const present = await locateGuest(look.reader, look.cluster, intent.target)
  return present === undefined ? [journaled] : [journaled, present]
}

function remoteOf(status: TaskStatus): Remote {
  if (status.state === 'running') return {task: 'running'}
  if (status.state === 'lost') return {task: 'lost'}
  const {verdict, exit} = status
  switch (verdict) {
    case 'ok':
    case 'warnings':
      return {task: 'ok', exit}
    case 'failed':
      return {task: 'failed', exit}
    case 'unexpected':
      return {task: 'unexpected'}
  }
}
