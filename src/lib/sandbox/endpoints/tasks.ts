// A node's tasks and the cluster's list of recent ones: what everybody may see of them, and how one is stopped.
import {flag, nodeOf, optionalText, text, type Call, type Route} from '../call.ts'
import {hasPrivs, requirePrivs} from '../access/permissions.ts'
import {Download} from '../download.ts'
import {die, paramError} from '../pve-error.ts'
import {
  activeRow,
  archiveRow,
  clusterRow,
  isOwnTask,
  ownerOf,
  statusClass,
  statusRow,
} from '../tasks/task-rows.ts'
import {parseUpid, type Upid} from '../tasks/upid.ts'
import type {Task} from '../state.ts'

const DEFAULT_LIMIT = 50
const MAX_BROADCAST = 25

export const routes: Route[] = [
  {method: 'GET', path: '/nodes/{node}/tasks', handler: listTasks},
  {method: 'GET', path: '/nodes/{node}/tasks/{upid}', handler: () => [{name: 'log'}, {name: 'status'}]},
  {method: 'DELETE', path: '/nodes/{node}/tasks/{upid}', handler: stopTask},
  {method: 'GET', path: '/nodes/{node}/tasks/{upid}/log', handler: readLog},
  {method: 'GET', path: '/nodes/{node}/tasks/{upid}/status', handler: readStatus},
  {method: 'GET', path: '/cluster/tasks', handler: listClusterTasks},
]

function integer(call: Call, name: string): number | undefined {
  const value = optionalText(call, name)
  return value === undefined ? undefined : Number(value)
}

function listTasks(call: Call): unknown[] {
  const node = nodeOf(call)
  const {tasks} = call.cluster
  const source = optionalText(call, 'source') ?? 'archive'
  const matches = taskFilter(call)
  const start = integer(call, 'start') ?? 0
  const limit = integer(call, 'limit') ?? DEFAULT_LIMIT
  const rows: unknown[] = []
  let total = 0
  const take = (candidates: Iterable<Task>, user: (t: Task) => string, toRow: (t: Task) => unknown): void => {
    for (const task of candidates) {
      if (!matches(task, user(task))) continue
      if (total++ >= start && rows.length < limit) rows.push(toRow(task))
    }
  }
  if (source !== 'archive') take(tasks.running(node), (t) => t.user, activeRow)
  if (source !== 'active') take(tasks.ended(node), (t) => ownerOf(t.user).user, archiveRow)
  call.meta['total'] = total
  return rows
}

/** Whether a task is to be listed; `user` is the name that the row will show. */
function taskFilter(call: Call): (task: Task, user: string) => boolean {
  const {authid} = call.principal
  const isAuditor = hasPrivs(call, `/nodes/${nodeOf(call)}`, ['Sys.Audit'])
  const userPart = (optionalText(call, 'userfilter') ?? '').toLowerCase()
  const type = optionalText(call, 'typefilter') ?? ''
  const vmid = optionalText(call, 'vmid')
  const since = integer(call, 'since') ?? -Infinity
  const until = integer(call, 'until') ?? Infinity
  const classes = wantedClasses(call)
  return (task, user) =>
    user.toLowerCase().includes(userPart) &&
    (isAuditor || isOwnTask(task.user, authid)) &&
    (type === '' || task.type === type) &&
    (vmid === undefined || task.id === vmid) &&
    task.starttime >= since &&
    task.starttime <= until &&
    classes.has(statusClass(task.exitstatus))
}

function wantedClasses(call: Call): Set<string> {
  const classes = new Set(['ok', 'warning', 'error', 'unknown'])
  if (flag(call, 'errors')) {
    classes.delete('ok')
    return classes
  }
  const wanted = optionalText(call, 'statusfilter')
  return wanted === undefined ? classes : new Set(wanted.toLowerCase().split(/[,;\0\s]+/))
}

function parseOrRefuse(call: Call): Upid {
  return parseUpid(text(call, 'upid')) ?? paramError({upid: 'unable to parse worker upid'})
}

/** The task if its log lies on this node. */
function findLocal(call: Call): Task | undefined {
  const task = call.cluster.tasks.find(text(call, 'upid'))
  return task?.node === nodeOf(call) && !task.lost ? task : undefined
}

function requireTask(call: Call, upid: Upid, priv: string): Task {
  const task = findLocal(call) ?? paramError({upid: 'no such task'})
  requireOwner(call, upid, priv)
  return task
}

function requireOwner(call: Call, upid: Upid, priv: string): void {
  if (!isOwnTask(upid.user, call.principal.authid)) requirePrivs(call, `/nodes/${nodeOf(call)}`, [priv])
}

async function stopTask(call: Call): Promise<null> {
  const task = requireTask(call, parseOrRefuse(call), 'Sys.Modify')
  await call.cluster.tasks.stop(task.upid)
  return null
}

function readStatus(call: Call): unknown {
  return statusRow(requireTask(call, parseOrRefuse(call), 'Sys.Audit'))
}

function readLog(call: Call): unknown[] | Download {
  const upid = parseOrRefuse(call)
  requireOwner(call, upid, 'Sys.Audit')
  const lines = findLocal(call)?.log
  if (flag(call, 'download')) return downloadLog(call, upid, lines)
  if (!lines) {
    call.meta['total'] = 1
    return [{n: 1, t: 'unable to open file - No such file or directory'}]
  }
  call.meta['total'] = Math.max(1, lines.length)
  if (lines.length === 0) return [{n: 1, t: 'no content'}]
  const start = integer(call, 'start') ?? 0
  const limit = integer(call, 'limit') ?? DEFAULT_LIMIT
  const end = limit === 0 ? lines.length : start + limit
  return lines.slice(start, end).map((t, i) => ({n: start + i + 1, t}))
}

function downloadLog(call: Call, {node, type, starttime}: Upid, lines: string[] | undefined): Download {
  if ('start' in call.params || 'limit' in call.params) {
    die("'download' cannot be used together with 'start' or 'limit' parameters")
  }
  if (!lines) {
    const folder = starttime.toString(16).toUpperCase().slice(-1)
    const file = `/var/log/pve/tasks/${folder}/${text(call, 'upid')}`
    die(`Could not open file '${file}' - No such file or directory`)
  }
  const time = `${new Date(starttime * 1000).toISOString().slice(0, 19)}Z`
  return new Download(lines.map((line) => `${line}\n`).join(''), `task-${node}-${type}-${time}.log`)
}

/** Each node that is there announces its running tasks and as many ended ones as fit. */
function listClusterTasks(call: Call): unknown[] {
  const {tasks, state} = call.cluster
  const seesAll = hasPrivs(call, '/', ['Sys.Audit'])
  const rows: unknown[] = []
  for (const {name, online} of state.nodes) {
    if (!online) continue
    let announced = 0
    for (const group of [tasks.running(name), tasks.ended(name)]) {
      for (const task of group) {
        if (task.exitstatus !== undefined && announced >= MAX_BROADCAST) break
        announced++
        const isOwn = ownerOf(task.user).user === call.principal.authid
        if (seesAll || isOwn) rows.push(clusterRow(task, tasks.isJustAnnounced(task)))
      }
    }
  }
  return rows
}
