// Starts and ends worker tasks. A task has a real UPID, a log that ends in its verdict, and runs on the
// cluster's clock; what throws in a worker becomes the task's exit status, never the caller's error.
import {TaskArchive} from './task-archive.ts'
import {PveError} from '../pve-error.ts'
import {formatUpid} from './upid.ts'
import type {Clock} from '../clock.ts'
import type {ClusterState, Node, Task} from '../state.ts'

export interface TaskContext {
  readonly upid: string
  log(line: string): void
  /** A line that counts towards `WARNINGS: n`. */
  warn(line: string): void
  /** Rejects when the task is stopped meanwhile. */
  sleep(ms: number): Promise<void>
}

export type Worker = (task: TaskContext) => void | Promise<void>

interface RunningTask {
  stop: AbortController
  /** Killed: no verdict. */
  killed: boolean
  isOrphan: boolean
}

const INTERRUPTED = 'received interrupt'
/** Workers that survive the polite signal, because they wait for the container to end. */
const stubborn = new Set(['vzshutdown', 'vzreboot', 'vzstop'])
const POLITE_MS = 1000
const GRACE_MS = 5000
const PID_MAX = 4_194_304

/** What tasks need of the cluster. */
export interface TaskHost {
  readonly state: ClusterState
  readonly clock: Clock
  random(): number
  nowSeconds(): number
  node(name: string): Node | undefined
}

export class TaskRunner {
  readonly #cluster: TaskHost
  /** Runs before a task starts, while the state is still what it was: statistics are taken here. */
  beforeStart: () => void = () => undefined
  readonly #running = new Map<string, RunningTask>()
  readonly #archive: TaskArchive
  /** Per node: when its task list was last told to the cluster, and about which task. */
  readonly #broadcasts = new Map<string, {upid: string; atMs: number}>()
  #pid = 1000

  constructor(cluster: TaskHost) {
    this.#cluster = cluster
    this.#archive = new TaskArchive(cluster.state.tasks)
    for (const task of cluster.state.tasks) this.#pid = Math.max(this.#pid, task.pid % PID_MAX)
  }

  nextPid(): number {
    this.#pid += 1 + Math.floor(this.#cluster.random() * 9)
    if (this.#pid >= PID_MAX) this.#pid = 1000
    return this.#pid
  }

  /** Starts `worker` and returns its UPID at once. An orphan was started by a task that has ended meanwhile. */
  start(node: string, type: string, id: string, user: string, worker: Worker, isOrphan = false): string {
    this.beforeStart()
    const task = this.#create(node, type, id, user)
    const running: RunningTask = {stop: new AbortController(), killed: false, isOrphan}
    this.#archive.add(task)
    this.#running.set(task.upid, running)
    this.#broadcast(task)
    void this.#run(task, worker, running)
    return task.upid
  }

  find(upid: string): Task | undefined {
    return this.#archive.find(upid)
  }

  /** The node's running tasks, oldest first. */
  running(node: string): Iterable<Task> {
    return this.#archive.running(node)
  }

  /** The node's listed ended tasks, the last ended first. */
  ended(node: string): Iterable<Task> {
    return this.#archive.ended(node)
  }

  /** Whether the cluster's list still holds this task exactly as its start or its end announced it. */
  isJustAnnounced(task: Task): boolean {
    const last = this.#broadcasts.get(task.node)
    return last?.upid === task.upid && this.#cluster.clock.now() - last.atMs < 10_000
  }

  /** Stops a task as DELETE does: politely, then for good. Resolves when the caller gets its answer. */
  async stop(upid: string): Promise<void> {
    const running = this.#running.get(upid)
    const task = this.find(upid)
    if (!running || !task) return
    const {clock} = this.#cluster
    if (stubborn.has(task.type)) {
      running.killed = true
      task.log.push(INTERRUPTED)
      running.stop.abort(new Error(INTERRUPTED))
      await clock.sleep(GRACE_MS)
      this.#end(task, 'unexpected status')
    } else {
      running.stop.abort(new Error(INTERRUPTED))
      await clock.sleep(POLITE_MS)
    }
  }

  /** Ends a task as a signal that cannot be caught does: it never gets to write its verdict. */
  kill(upid: string): void {
    const running = this.#running.get(upid)
    const task = this.find(upid)
    if (!running || !task) return
    running.killed = true
    running.stop.abort(new Error(INTERRUPTED))
    this.#end(task, 'unexpected status')
  }

  #create(node: string, type: string, id: string, user: string): Task {
    const pid = this.nextPid()
    const starttime = this.#cluster.nowSeconds()
    const bootedMs = this.#cluster.node(node)?.bootedMs ?? 0
    const pstart = Math.max(1, Math.floor((this.#cluster.clock.now() - bootedMs) / 10)) % 0xffffffff
    const upid = formatUpid({node, pid, pstart, starttime, type, id, user})
    return {upid, node, pid, pstart, starttime, type, id, user, log: []}
  }

  async #run(task: Task, worker: Worker, running: RunningTask): Promise<void> {
    const {clock} = this.#cluster
    const {signal} = running.stop
    let warnings = 0
    const context: TaskContext = {
      upid: task.upid,
      log: (line) => task.log.push(line),
      warn: (line) => {
        warnings++
        task.log.push(`WARN: ${line}`)
      },
      sleep: (ms) => clock.sleep(ms, signal),
    }
    let exitstatus: string
    let verdict: string
    try {
      await clock.sleep(0, signal)
      await worker(context)
      exitstatus = warnings > 0 ? `WARNINGS: ${String(warnings)}` : 'OK'
      verdict = `TASK ${exitstatus}`
    } catch (error) {
      exitstatus = oneLine(error)
      verdict = `TASK ERROR: ${exitstatus}`
    }
    if (running.killed) return
    task.log.push(verdict)
    this.#end(task, exitstatus)
  }

  #end(task: Task, exitstatus: string): void {
    if (task.exitstatus !== undefined) return
    task.exitstatus = exitstatus
    task.endtime = this.#cluster.nowSeconds()
    const isOrphan = this.#running.get(task.upid)?.isOrphan ?? false
    this.#running.delete(task.upid)
    this.#archive.end(task, isOrphan)
    this.#broadcast(task)
  }

  #broadcast(task: Task): void {
    this.#broadcasts.set(task.node, {upid: task.upid, atMs: this.#cluster.clock.now()})
  }
}

/** As Perl prints it, with its lines joined. */
function oneLine(error: unknown): string {
  const message =
    error instanceof PveError ? error.asText() : error instanceof Error ? error.message : String(error)
  return message.replace(/\n$/, '').replaceAll('\n', ' ')
}
