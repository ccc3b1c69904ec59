// A journal without a disk, for tests of what writes into one. `records` shows every append in order; `failAt` makes
// the append of that number fail, as a full disk does, with nothing recorded.
import type {Journal} from '../../src/lib/engine/ports.ts'
import {FelhomError} from '../../src/lib/model/felhom-error.ts'
import {isOpen, type Ending, type Intent, type JournaledIntent} from '../../src/lib/model/operation.ts'
import type {Operation} from '../../src/lib/model/operation.ts'

export type MemoryRecord =
  | {readonly type: 'started'; readonly op: string}
  | {readonly type: 'task_running'; readonly op: string; readonly upid: string}
  | {readonly type: 'settled'; readonly op: string; readonly ending: Ending}
  | {readonly type: 'absence'; readonly op: string; readonly sinceMs: number | undefined}
  | {readonly type: 'disarmed'; readonly upids: readonly string[]}

export class MemoryJournal implements Journal {
  readonly records: MemoryRecord[] = []
  /** Counted from 1. */
  failAt: number | undefined
  readonly knowsTasksSinceMs: number
  readonly #now: () => number
  readonly #operations = new Map<string, Operation>()
  readonly #known = new Set<string>()
  readonly #disarmed = new Set<string>()

  constructor(now: () => number, knowsTasksSinceMs = now()) {
    this.#now = now
    this.knowsTasksSinceMs = knowsTasksSinceMs
  }

  async start(intent: Intent): Promise<JournaledIntent> {
    await this.#append({type: 'started', op: intent.op})
    this.#operations.set(intent.op, {intent, state: 'started', sinceMs: this.#now()})
    return intent as JournaledIntent
  }

  async taskRunning(op: string, upid: string): Promise<void> {
    const operation = this.find(op)
    await this.#append({type: 'task_running', op, upid})
    this.#known.add(upid)
    this.#operations.set(op, {...operation, state: 'task_running', upid, sinceMs: this.#now()})
  }

  async settle(op: string, ending: Ending): Promise<void> {
    const operation = this.find(op)
    await this.#append({type: 'settled', op, ending})
    const {state, by, reason} = ending
    this.#operations.set(op, {...operation, state, by, reason, sinceMs: this.#now()})
  }

  async noteAbsence(op: string, sinceMs: number | undefined): Promise<void> {
    const {absentSinceMs: _, ...operation} = this.find(op)
    await this.#append({type: 'absence', op, sinceMs})
    this.#operations.set(op, {...operation, ...(sinceMs !== undefined && {absentSinceMs: sinceMs})})
  }

  openOperations(): readonly Operation[] {
    return [...this.#operations.values()].filter(isOpen)
  }

  disarmed(): readonly string[] {
    return [...this.#disarmed]
  }

  knowsTask(upid: string): boolean {
    return this.#known.has(upid) || this.#disarmed.has(upid)
  }

  async disarm(upids: readonly string[]): Promise<void> {
    await this.#append({type: 'disarmed', upids})
    for (const upid of upids) this.#disarmed.add(upid)
  }

  find(op: string): Operation {
    const operation = this.#operations.get(op)
    if (!operation) throw new Error(`the journal has no operation ${op}`)
    return operation
  }

  #append(record: MemoryRecord): Promise<void> {
    if (this.records.length + 1 === this.failAt)
      return Promise.reject(new FelhomError('journal_failed', 'the disk is full'))
    this.records.push(record)
    return Promise.resolve()
  }
}
