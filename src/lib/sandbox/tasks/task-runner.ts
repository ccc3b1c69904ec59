// Starts and ends worker tasks. A task has a real UPID, a log that ends in its verdict, and runs on the
// cluster's clock; what throws in a worker becomes the task's exit status, never the caller's error.
import type {Cluster} from '../cluster.ts'
import type {Task} from '../state.ts'

export interface TaskContext {
  readonly upid: string
  log(line: string): void
  /** A line that counts towards `WARNINGS: n`. */
  warn(line: string): void
  sleep(ms: number): Promise<void>
}

export type Worker = (task: TaskContext) => void | Promise<void>

class TaskKilled extends Error {}

export class TaskRunner {
  readonly #cluster: Cluster
  readonly #running = new Map<string, AbortController>()
  #pid = 1000

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  nextPid(): number {
    this.#pid += 1 + Math.floor(this.#cluster.random() * 9)
    return this.#pid
  }

  /** Starts `worker` and returns its UPID at once. */
  start(node: string, type: string, id: string, user: string, worker: Worker): string {
    const task = this.#create(node, type, id, user)
    const killer = new AbortController()
    this.#cluster.state.tasks.push(task)
    this.#running.set(task.upid, killer)
    void this.#run(task, worker, killer.signal)
    return task.upid
  }

  find(upid: string): Task | undefined {
    return this.#cluster.state.tasks.find((t) => t.upid === upid)
  }

  /** Ends a task as a signal does: it never gets to write its verdict. */
  kill(upid: string): void {
    this.#running.get(upid)?.abort(new TaskKilled())
  }

  #create(node: string, type: string, id: string, user: string): Task {
    const pid = this.nextPid()
    const starttime = this.#cluster.nowSeconds()
    const bootedMs = this.#cluster.node(node)?.bootedMs ?? 0
    const pstart = Math.max(1, Math.floor((this.#cluster.clock.now() - bootedMs) / 10)) % 0xffffffff
    const hex = (n: number): string => n.toString(16).toUpperCase().padStart(8, '0')
    const upid = `UPID:${node}:${hex(pid)}:${hex(pstart)}:${hex(starttime)}:${type}:${id}:${user}:`
    return {upid, node, pid, pstart, starttime, type, id, user, log: []}
  }

  async #run(task: Task, worker: Worker, signal: AbortSignal): Promise<void> {
    const {clock} = this.#cluster
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
    try {
      await clock.sleep(0, signal)
      await worker(context)
      task.exitstatus = warnings > 0 ? `WARNINGS: ${String(warnings)}` : 'OK'
      task.log.push(`TASK ${task.exitstatus}`)
    } catch (error) {
      if (signal.aborted) {
        task.exitstatus = 'unexpected status'
      } else {
        const message = (error instanceof Error ? error.message : String(error)).trimEnd()
        task.exitstatus = message
        task.log.push(`TASK ERROR: ${message}`)
      }
    }
    task.endtime = this.#cluster.nowSeconds()
    this.#running.delete(task.upid)
  }
}
