// A journal without a disk that holds to the rules of the real one: an operation starts once, a guest has one open
// operation at a time, a key is used once, and nothing follows a terminal record. It fails where a test says so.
import type {Journal} from '../engine/ports.ts'
import {FelhomError} from '../model/felhom-error.ts'
import {
  findHolding,
  involvedVmids,
  isOpen,
  type Ending,
  type Intent,
  type JournaledIntent,
  type Operation,
} from '../model/operation.ts'

export type JournalCall = 'start' | 'taskRunning' | 'settle' | 'noteAbsence' | 'disarm'

export class MemoryJournal implements Journal {
  readonly knowsTasksSinceMs: number
  /** The latest of each operation, in the order of their starts. */
  readonly operations = new Map<string, Operation>()
  /** `start r.1`, `settle r.1 succeeded`, …: what is durable, in its order. */
  readonly records: string[] = []
  /** Thrown by the call of that kind while it returns an error. */
  failure: (call: JournalCall, op: string) => Error | undefined = () => undefined
  /** Worse than the real one: after a failure it goes on as if nothing had been. */
  isForgetful = false
  /** Laxer than the real one: two copies of one guest may be open at once. */
  sharesSources = false
  #disarmed: string[] = []
  #poison: Error | undefined
  readonly #now: () => number

  constructor(now: () => number = () => 0) {
    this.#now = now
    this.knowsTasksSinceMs = now()
  }

  start(intent: Intent): Promise<JournaledIntent> {
    return this.#append('start', intent.op, () => {
      if (this.operations.has(intent.op))
        throw new FelhomError('unexpected', `${intent.op} was started before`)
      const {vmid} = intent.target
      const open = this.sharesSources
        ? this.openOperations().find((one) => one.intent.target.vmid === vmid)
        : findHolding(this.openOperations(), involvedVmids(intent))
      if (open) throw new FelhomError('guest_frozen', `${open.intent.op} is open`)
      const {key} = intent
      const isUsed = [...this.operations.values()].some((one) => one.intent.key === key)
      if (key !== undefined && isUsed) throw new FelhomError('key_used', `${key} was used before`)
      this.operations.set(intent.op, {intent, state: 'started', sinceMs: this.#now()})
      this.records.push(`start ${intent.op}`)
      return intent as JournaledIntent
    })
  }

  taskRunning(op: string, upid: string): Promise<void> {
    return this.#append('taskRunning', op, () => {
      const operation = this.#requireOpen(op)
      this.operations.set(op, {...operation, state: 'task_running', upid, sinceMs: this.#now()})
      this.records.push(`taskRunning ${op}`)
    })
  }

  settle(op: string, ending: Ending): Promise<void> {
    return this.#append('settle', op, () => {
      const operation = this.#requireOpen(op)
      const {state, by, reason} = ending
      this.operations.set(op, {...operation, state, by, reason, sinceMs: this.#now()})
      this.records.push(`settle ${op} ${state}`)
    })
  }

  noteAbsence(op: string, sinceMs: number | undefined): Promise<void> {
    return this.#append('noteAbsence', op, () => {
      const {absentSinceMs, ...operation} = this.#requireOpen(op)
      if (absentSinceMs === sinceMs) return
      this.operations.set(op, {...operation, ...(sinceMs !== undefined && {absentSinceMs: sinceMs})})
      this.records.push(`noteAbsence ${op}`)
    })
  }

  openOperations(): readonly Operation[] {
    return [...this.operations.values()].filter(isOpen)
  }

  disarmed(): readonly string[] {
    return this.#disarmed
  }

  knowsTask(upid: string): boolean {
    return [...this.operations.values()].some((one) => one.upid === upid)
  }

  disarm(upids: readonly string[]): Promise<void> {
    return this.#append('disarm', '', () => {
      this.#disarmed = [...new Set([...this.#disarmed, ...upids])]
    })
  }

  /** As after a restart on the same disk: a failed disk is forgotten, what was recorded is not. */
  reopen(): void {
    this.#poison = undefined
    this.failure = () => undefined
  }

  /** Like the real one it answers later, when the disk is done; after a failed write it takes nothing more. */
  async #append<T>(call: JournalCall, op: string, record: () => T): Promise<T> {
    await Promise.resolve()
    const failure = this.#poison ?? this.failure(call, op)
    if (!this.isForgetful) this.#poison = failure
    if (failure) throw failure
    return record()
  }

  #requireOpen(op: string): Operation {
    const operation = this.operations.get(op)
    if (!operation || !isOpen(operation)) throw new FelhomError('unexpected', `${op} is not open`)
    return operation
  }
}
