// How tasks look in lists: the archive holds a token apart from its user, the list of active ones does not.
import type {Task} from '../state.ts'

export interface Owner {
  user: string
  tokenid?: string
}

/** root@pam!felhom → user root@pam, tokenid felhom. */
export function ownerOf(user: string): Owner {
  const at = user.indexOf('!')
  return at < 0 ? {user} : {user: user.slice(0, at), tokenid: user.slice(at + 1)}
}

/** A user sees the tasks of its tokens, a token only its own. */
export function isOwnTask(taskUser: string, authid: string): boolean {
  return taskUser === authid || ownerOf(taskUser).user === authid
}

export type StatusClass = 'ok' | 'warning' | 'error' | 'unknown'

export function statusClass(exitstatus: string | undefined): StatusClass {
  if (exitstatus === undefined || exitstatus === '' || exitstatus === 'unexpected status') return 'unknown'
  if (exitstatus === 'OK') return 'ok'
  return /^WARNINGS: \d+$/.test(exitstatus) ? 'warning' : 'error'
}

type Row = Record<string, unknown>

function identity(task: Task): Row {
  const {upid, node, pid, pstart, starttime, type, id} = task
  return {upid, node, pid, pstart, starttime, type, id}
}

export function archiveRow(task: Task): Row {
  return {...identity(task), ...ownerOf(task.user), endtime: task.endtime, status: task.exitstatus}
}

export function activeRow(task: Task): Row {
  return {...identity(task), user: task.user, saved: '0', status: 'RUNNING'}
}

export function statusRow(task: Task): Row {
  const row = {...identity(task), ...ownerOf(task.user)}
  if (task.exitstatus === undefined) return {...row, status: 'running'}
  return {...row, status: 'stopped', exitstatus: task.exitstatus}
}

/** A row of the cluster's list. It counts as saved by number when its own end announced it, else by text. */
export function clusterRow(task: Task, justAnnounced: boolean): Row {
  const {upid, node, pid, starttime, type, id} = task
  const row = {upid, node, starttime, type, id, ...ownerOf(task.user)}
  if (task.exitstatus === undefined) return {...row, pid, ...(!justAnnounced && {saved: '0'})}
  return {...row, endtime: task.endtime, status: task.exitstatus, saved: justAnnounced ? 1 : '1'}
}
