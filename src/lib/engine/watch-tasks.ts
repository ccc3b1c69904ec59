// Notices when tasks end, with few questions: one poll per node for all of its tasks, often while one is young and
// seldom when all are old. A question that fails is asked again later; it never decides about a task.
import type {TaskStatus} from '../model/task.ts'
import type {Upid} from '../model/upid.ts'
import type {Clock, TaskReader} from './ports.ts'

export type Awaited = Exclude<TaskStatus, {state: 'running'}> | {readonly state: 'timed_out'}

export class TaskWatcher {
  readonly #reader: Pick<TaskReader, 'taskStatus' | 'listTasks'>
  readonly #clock: Clock
  readonly #nodes = new Map<string, NodeWatch>()

  constructor(reader: Pick<TaskReader, 'taskStatus' | 'listTasks'>, clock: Clock) {
    this.#reader = reader
    this.#clock = clock
  }

  /** `timed_out` says nothing about the task: it is only no longer watched. */
  async wait(upid: Upid, timeoutMs: number): Promise<Awaited> {
    const node = this.#node(upid.node)
    const alarm = new AbortController()
    const timeout = this.#clock.sleep(timeoutMs, alarm.signal).then(
      (): Awaited => ({state: 'timed_out'}),
      // The task ended first: nobody listens any more.
      (): Awaited => ({state: 'timed_out'}),
    )
    try {
      return await Promise.race([node.watch(upid), timeout])
    } finally {
      alarm.abort()
      node.forget(upid)
    }
  }

  #node(name: string): NodeWatch {
    let node = this.#nodes.get(name)
    if (!node) {
      node = new NodeWatch(name, this.#reader, this.#clock)
      this.#nodes.set(name, node)
    }
    return node
  }
}

interface Watched {
  readonly upid: Upid
  readonly sinceMs: number
  readonly end: (status: Awaited) => void
  /** When its own status was asked for last. */
  askedMs: number
}

const MIN_INTERVAL_MS = 100
const MAX_INTERVAL_MS = 2_000
const SHARE_OF_AGE = 0.1
/** The list lags when the daemon that forked the task was replaced; a task's own status does not. */
const OWN_STATUS_EVERY_MS = 5_000
const MAX_BACK_OFF_MS = 10_000

class NodeWatch {
  readonly #node: string
  readonly #reader: Pick<TaskReader, 'taskStatus' | 'listTasks'>
  readonly #clock: Clock
  readonly #tasks = new Map<string, Watched>()
  #polledMs = 0
  #failures = 0
  #isRunning = false
  #rest: AbortController | undefined

  constructor(node: string, reader: Pick<TaskReader, 'taskStatus' | 'listTasks'>, clock: Clock) {
    this.#node = node
    this.#reader = reader
    this.#clock = clock
  }

  watch(upid: Upid): Promise<Awaited> {
    return new Promise((end) => {
      const now = this.#clock.now()
      this.#tasks.set(upid.text, {upid, sinceMs: now, end, askedMs: now})
      // A pause that was right for old tasks is too long for a new one.
      this.#rest?.abort()
      if (!this.#isRunning) void this.#run()
    })
  }

  forget(upid: Upid): void {
    this.#tasks.delete(upid.text)
    if (this.#tasks.size === 0) this.#rest?.abort()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    this.#polledMs = this.#clock.now()
    while (this.#tasks.size > 0) {
      if (!(await this.#pause())) continue
      await this.#poll()
      this.#polledMs = this.#clock.now()
    }
    this.#isRunning = false
  }

  /** False: something changed meanwhile, the pause has to be reckoned anew. */
  async #pause(): Promise<boolean> {
    const intervalMs = this.#intervalMs()
    // A clock that is put back meanwhile makes nobody wait until it has caught up.
    const remainingMs = Math.min(intervalMs, this.#polledMs + intervalMs - this.#clock.now())
    if (remainingMs <= 0) return true
    this.#rest = new AbortController()
    try {
      await this.#clock.sleep(remainingMs, this.#rest.signal)
      return true
    } catch {
      return false
    } finally {
      this.#rest = undefined
    }
  }

  #intervalMs(): number {
    const youngestMs = Math.max(...[...this.#tasks.values()].map(({sinceMs}) => sinceMs))
    const wanted = Math.abs(this.#clock.now() - youngestMs) * SHARE_OF_AGE
    const regular = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, wanted))
    return this.#failures === 0 ? regular : Math.min(MAX_BACK_OFF_MS, regular * 2 ** this.#failures)
  }

  async #poll(): Promise<void> {
    try {
      const due = await this.#findDue()
      await Promise.all(due.map((task) => this.#ask(task)))
      this.#failures = 0
    } catch {
      this.#failures++
    }
  }

  /** Whose own status is worth a question: of a single task it is the only one that is needed. */
  async #findDue(): Promise<Watched[]> {
    const tasks = [...this.#tasks.values()]
    if (tasks.length <= 1) return tasks
    const listed = await this.#reader.listTasks(this.#node, {source: 'active'})
    const running = new Set(
      listed.filter(({status}) => status.state === 'running').map(({upid}) => upid.text),
    )
    const now = this.#clock.now()
    const isDue = (askedMs: number): boolean => Math.abs(now - askedMs) >= OWN_STATUS_EVERY_MS
    return tasks.filter(({upid, askedMs}) => !running.has(upid.text) || isDue(askedMs))
  }

  async #ask(task: Watched): Promise<void> {
    task.askedMs = this.#clock.now()
    const status = await this.#reader.taskStatus(task.upid)
    if (status.state === 'running') return
    this.#tasks.delete(task.upid.text)
    task.end(status)
  }
}
