// What a node remembers of its tasks: those that run, and the two index files in which the ended ones are listed.
// An index file that grows too long becomes the previous one, and the previous one is lost, as on a real node.
import type {Task} from '../state.ts'

const MAX_INDEX_BYTES = 50_000

class NodeTasks {
  readonly running = new Set<Task>()
  #index: Task[] = []
  #previous: Task[] = []
  #indexBytes = 0
  readonly #orphans: Task[] = []

  add(task: Task): void {
    this.#archiveOrphans()
    if (task.exitstatus === undefined) this.running.add(task)
    else this.#archive(task)
  }

  /** Nobody waits for an orphan, so it counts as running until the node next looks at its workers. */
  end(task: Task, isOrphan: boolean): void {
    this.#archiveOrphans()
    if (isOrphan) this.#orphans.push(task)
    else this.#archive(task)
  }

  #archiveOrphans(): void {
    for (const task of this.#orphans.splice(0)) this.#archive(task)
  }

  #archive(task: Task): void {
    this.running.delete(task)
    this.#index.push(task)
    this.#indexBytes += task.upid.length + (task.exitstatus?.length ?? 0) + ' 00000000 \n'.length
    if (this.#indexBytes <= MAX_INDEX_BYTES) return
    this.#previous = this.#index
    this.#index = []
    this.#indexBytes = 0
  }

  /** Ended tasks, the last ended first. */
  *ended(): Generator<Task> {
    for (let i = this.#index.length - 1; i >= 0; i--) yield this.#index[i] as Task
    for (let i = this.#previous.length - 1; i >= 0; i--) yield this.#previous[i] as Task
  }
}

/** Logs are kept longer than the index lists them; beyond this many the oldest are gone. */
const MAX_LOGS = 20_000

export class TaskArchive {
  readonly #tasks: Task[]
  readonly #byUpid = new Map<string, Task>()
  readonly #byNode = new Map<string, NodeTasks>()

  constructor(tasks: Task[]) {
    this.#tasks = tasks
    for (const task of tasks) this.#remember(task)
  }

  add(task: Task): void {
    this.#tasks.push(task)
    this.#remember(task)
    if (this.#tasks.length > MAX_LOGS) this.#forgetOldest()
  }

  end(task: Task, isOrphan: boolean): void {
    this.#node(task.node).end(task, isOrphan)
  }

  find(upid: string): Task | undefined {
    return this.#byUpid.get(upid)
  }

  running(node: string): Iterable<Task> {
    return this.#byNode.get(node)?.running ?? []
  }

  ended(node: string): Iterable<Task> {
    return this.#byNode.get(node)?.ended() ?? []
  }

  #remember(task: Task): void {
    this.#byUpid.set(task.upid, task)
    this.#node(task.node).add(task)
  }

  /** A tenth at a time, so that a long run pays for it seldom. */
  #forgetOldest(): void {
    const old = this.#tasks.slice(0, MAX_LOGS / 10)
    this.#tasks.splice(0, old.length, ...old.filter((t) => t.exitstatus === undefined))
    for (const task of old) if (task.exitstatus !== undefined) this.#byUpid.delete(task.upid)
  }

  #node(name: string): NodeTasks {
    let node = this.#byNode.get(name)
    if (!node) {
      node = new NodeTasks()
      this.#byNode.set(name, node)
    }
    return node
  }
}
