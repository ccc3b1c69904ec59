// Tasks of our own token that the journal does not know: somebody else uses the token, or the state directory is
// an old copy. Either way the journal cannot vouch for what has run, and nothing destructive may be done.
import {isFelhomError} from '../model/felhom-error.ts'
import type {TaskEntry} from '../model/task.ts'
import {taskVmid} from './find-orphans.ts'
import type {Journal, NodeReader, TaskReader} from './ports.ts'

export interface UnknownTaskSearch {
  readonly reader: TaskReader & NodeReader
  readonly journal: Journal
  readonly tokenId: string
}

/** UPIDs, sorted. A node that cannot be asked is left out: it is asked again before the next change. */
export async function findUnknownTasks({
  reader,
  journal,
  tokenId,
}: UnknownTaskSearch): Promise<readonly string[]> {
  const nodes = await reachable(() => reader.listNodes())
  const lists = await Promise.all(
    nodes.map((node) => reachable(() => reader.listTasks(node, {source: 'all', limit: 500}))),
  )
  // An open operation may have started tasks of which no answer came.
  const explained = new Set(
    journal.openOperations().flatMap(({intent}) => [String(intent.target.vmid), String(taskVmid(intent))]),
  )
  const seen = new Set(journal.disarmed())
  // A task tells no more than the second in which it began: one of the journal's first second counts.
  const sinceSeconds = Math.floor(journal.knowsTasksSinceMs / 1000)
  const isUnknown = ({upid}: TaskEntry): boolean =>
    upid.user === tokenId &&
    upid.starttime >= sinceSeconds &&
    !journal.knowsTask(upid.text) &&
    !seen.has(upid.text) &&
    !explained.has(upid.id)
  return lists
    .flat()
    .filter(isUnknown)
    .map(({upid}) => upid.text)
    .sort()
}

async function reachable<T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await read()
  } catch (error) {
    if (!isFelhomError(error)) throw error
    return []
  }
}
