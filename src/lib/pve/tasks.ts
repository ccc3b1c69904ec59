// Tasks as Proxmox tells of them. A task that Proxmox no longer knows is `lost`, which is no failure.
import {isFelhomError} from '../model/felhom-error.ts'
import {isVmid} from '../model/guest.ts'
import type {TaskEntry, TaskLog, TaskStatus} from '../model/task.ts'
import type {Upid} from '../model/upid.ts'
import {readTaskEntries, readTaskLog, readTaskStatus} from './answers.ts'
import type {ReadConnection} from './connection.ts'
import {malformedPart, nodePath, taskPath} from './paths.ts'

export interface TaskFilter {
  /** Of a clone the source's. */
  readonly vmid?: number
  /** Proxmox's default, `archive`, hides what is running. */
  readonly source?: 'all' | 'active' | 'archive'
  readonly limit?: number
}

const DEFAULT_LIMIT = 500

export async function readStatusOfTask(connection: ReadConnection, upid: Upid): Promise<TaskStatus> {
  try {
    return readTaskStatus((await connection.get(taskPath(upid, 'status'))).data)
  } catch (error) {
    if (isFelhomError(error, 'no_such_task')) return {state: 'lost'}
    throw error
  }
}

export async function readLogOfTask(
  connection: ReadConnection,
  upid: Upid,
  page: {readonly start?: number; readonly limit?: number} = {},
): Promise<TaskLog> {
  const query = {start: page.start ?? 0, limit: page.limit ?? DEFAULT_LIMIT}
  return readTaskLog(await connection.get(taskPath(upid, 'log'), query))
}

/** The tasks of one node, running ones included unless the filter says otherwise. */
export async function readTasksOfNode(
  connection: ReadConnection,
  node: string,
  filter: TaskFilter = {},
): Promise<TaskEntry[]> {
  if (filter.vmid !== undefined && !isVmid(filter.vmid))
    throw malformedPart('guest number', String(filter.vmid))
  const query = {source: filter.source ?? 'all', limit: filter.limit ?? DEFAULT_LIMIT, vmid: filter.vmid}
  return readTaskEntries((await connection.get(nodePath(node, 'tasks'), query)).data)
}
