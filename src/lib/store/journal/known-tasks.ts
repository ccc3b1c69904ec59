// The latest tasks that we know to be ours, as many as are worth keeping. Of tasks begun before `sinceMs` nothing
// can be said: the journal did not exist, or has forgotten them.
import {readUpid} from '../../model/upid.ts'

/** More than the task lists of Proxmox usually go back. */
const MAX_TASKS = 2000

export class KnownTasks {
  /** In the order in which they became known. */
  readonly #upids: Set<string>
  #sinceMs: number

  constructor(sinceMs: number, upids: Iterable<string> = []) {
    this.#sinceMs = sinceMs
    this.#upids = new Set(upids)
  }

  get sinceMs(): number {
    return this.#sinceMs
  }

  get upids(): readonly string[] {
    return [...this.#upids]
  }

  has(upid: string): boolean {
    return this.#upids.has(upid)
  }

  add(upid: string, atMs: number): void {
    this.#upids.add(upid)
    if (this.#upids.size > MAX_TASKS) this.#forgetOldest(atMs)
  }

  /** Another token: none of its tasks were ever ours to know. */
  reset(sinceMs: number): void {
    this.#upids.clear()
    this.#sinceMs = sinceMs
  }

  /** By the node's own clock, which is what its task list goes by. */
  #forgetOldest(atMs: number): void {
    const [oldest = ''] = this.#upids
    this.#upids.delete(oldest)
    const begunSeconds = readUpid(oldest)?.starttime
    const afterMs = begunSeconds === undefined ? atMs : (begunSeconds + 1) * 1000
    this.#sinceMs = Math.max(this.#sinceMs, afterMs)
  }
}
