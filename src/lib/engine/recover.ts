// Settles what an interrupted run left open. It knows the journal and readers of Proxmox, touches nothing but the
// journal, and guarantees that every open operation ends terminal, quarantined, or open with a time to look again.
import type {Operation} from '../model/operation.ts'
import {decideRecovery, type DecideRecovery, type Decision} from './decide-recovery.ts'
import {ClusterObserver} from './observe-cluster.ts'
import {observeTarget} from './observe-guest.ts'
import {observeTask, type ObservedTask, type TaskObservation} from './observe-task.ts'
import type {Clock, GuestReader, Journal, NodeReader, TaskReader} from './ports.ts'
import type {Remote, Sight} from './recovery-facts.ts'
import {recordDecision, type RecoveryFacts} from './record-decision.ts'
import {findUnknownTasks} from './unknown-tasks.ts'

export interface RecoverOptions {
  /** Readers only: recover cannot send anything. */
  readonly reader: GuestReader & TaskReader & NodeReader
  readonly journal: Journal
  readonly clock: Clock
  /** Whose tasks are ours: user@realm!name. */
  readonly tokenId: string
  /** How long a request may take to show itself as a task. */
  readonly settleMs?: number
  /** How long it may wait in all; never more than a minute. */
  readonly waitMs: number
  readonly signal: AbortSignal
  /** Decides and writes nothing. */
  readonly dryRun?: boolean
  readonly decide?: DecideRecovery
}

export interface Recovered {
  readonly operation: Operation
  readonly decision: Decision
}

export interface RecoverResult {
  /** One per operation that was open, oldest first. */
  readonly decisions: readonly Recovered[]
  /** What is still open: each freezes its guest. */
  readonly open: readonly Operation[]
  /** Epoch milliseconds at which looking again can decide more. Absent: nothing but quarantined ones is open. */
  readonly lookAgainMs?: number
  /** Tasks of our token that the journal does not know: nothing destructive until they are re-armed. */
  readonly disarmed: readonly string[]
}

export const DEFAULT_SETTLE_MS = 45_000
const MAX_WAIT_MS = 60_000
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5_000
const PAUSE_GROWTH = 1.5

export async function recover(options: RecoverOptions): Promise<RecoverResult> {
  const {journal} = options
  const recovery = new Recovery(options)
  await recovery.run()
  const decisions = recovery.decisions()
  const unknown = options.signal.aborted ? [] : await findUnknownTasks(options)
  if (unknown.length > 0 && options.dryRun !== true) await journal.disarm(unknown)
  const lookAgainMs = earliest(decisions.map(({decision}) => againMs(decision)))
  return {
    decisions,
    open: journal.openOperations(),
    ...(lookAgainMs !== undefined && {lookAgainMs}),
    disarmed: [...new Set([...journal.disarmed(), ...unknown])],
  }
}

const againMs = (decision: Decision): number | undefined =>
  decision.verdict === 'wait' || decision.verdict === 'stay' ? decision.lookAgainMs : undefined

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

class Recovery {
  readonly #options: RecoverOptions
  readonly #look: TaskObservation
  readonly #decide: DecideRecovery
  readonly #deadlineMs: number
  #leftMs: number
  /** By operation, oldest first. */
  readonly #known = new Map<string, {operation: Operation; decision?: Decision; dueMs?: number}>()

  constructor(options: RecoverOptions) {
    const {reader, journal, clock, tokenId, settleMs = DEFAULT_SETTLE_MS} = options
    const startedMs = clock.now()
    this.#options = options
    this.#decide = options.decide ?? decideRecovery
    this.#leftMs = Math.min(options.waitMs, MAX_WAIT_MS)
    this.#deadlineMs = startedMs + this.#leftMs
    this.#look = {
      ...{reader, journal, tokenId, settleMs, startedMs},
      cluster: new ClusterObserver(reader),
      now: () => clock.now(),
    }
    for (const operation of journal.openOperations())
      this.#known.set(operation.intent.op, {operation, dueMs: startedMs})
  }

  decisions(): Recovered[] {
    return [...this.#known.values()].flatMap(({operation, decision}) =>
      decision ? [{operation, decision}] : [],
    )
  }

  /** Looks at what is due until nothing more can be decided in the time there is. */
  async run(): Promise<void> {
    const {clock, signal} = this.#options
    let pauseMs = FIRST_PAUSE_MS
    while (!signal.aborted) {
      await this.#lookAtDue(pauseMs)
      const nextMs = earliest([...this.#known.values()].map((one) => one.dueMs))
      if (nextMs === undefined || clock.now() >= this.#deadlineMs || this.#leftMs <= 0) return
      if (!(await this.#sleep(nextMs - clock.now()))) return
      pauseMs = Math.min(pauseMs * PAUSE_GROWTH, MAX_PAUSE_MS)
    }
  }

  /** False: told to stop. The clock may be put back meanwhile: what was slept counts too. */
  async #sleep(wantedMs: number): Promise<boolean> {
    const {clock, signal} = this.#options
    const ms = Math.max(0, Math.min(wantedMs, this.#leftMs))
    this.#leftMs -= ms
    try {
      await clock.sleep(ms, signal)
      return true
    } catch (error) {
      if (signal.aborted) return false
      throw error
    }
  }

  /** Whatever happens to one operation, the others are looked at and settled. */
  async #lookAtDue(pauseMs: number): Promise<void> {
    const nowMs = this.#look.now()
    const due = [...this.#known].filter(([, {dueMs}]) => dueMs !== undefined && dueMs <= nowMs)
    const looks = await Promise.allSettled(due.map(([op]) => this.#lookAt(op, pauseMs)))
    for (const look of looks) if (look.status === 'rejected') throw look.reason
  }

  async #lookAt(op: string, pauseMs: number): Promise<void> {
    const known = this.#known.get(op)
    if (!known) return
    const observed = await observeTask(known.operation, this.#look)
    const operation = await this.#adopt(known.operation, observed)
    const sight = await this.#observeGuest(operation, observed.remote)
    const nowMs = this.#look.now()
    const decision = this.#decide(operation, observed.remote, sight, nowMs)
    const facts = {remote: observed.remote, sight, nowMs}
    const noted = await this.#record(operation, decision, facts)
    const dueMs = this.#nextLook(decision, nowMs, pauseMs)
    this.#known.set(op, {operation: noted, decision, ...(dueMs !== undefined && {dueMs})})
  }

  #record(operation: Operation, decision: Decision, facts: RecoveryFacts): Promise<Operation> {
    if (this.#options.dryRun === true) return Promise.resolve(operation)
    return recordDecision(this.#options.journal, operation, decision, facts)
  }

  /** When to look again, if the time suffices. A task that runs is looked at once more when the time is over. */
  #nextLook(decision: Decision, nowMs: number, pauseMs: number): number | undefined {
    if (decision.verdict === 'wait') return Math.min(nowMs + pauseMs, Math.max(nowMs, this.#deadlineMs))
    const dueMs = againMs(decision)
    return dueMs !== undefined && dueMs <= this.#deadlineMs ? dueMs : undefined
  }

  /** From now on the task is this operation's, whatever happens to us. */
  async #adopt(operation: Operation, {orphan}: ObservedTask): Promise<Operation> {
    if (!orphan) return operation
    if (this.#options.dryRun !== true)
      await this.#options.journal.taskRunning(operation.intent.op, orphan.text)
    return {...operation, state: 'task_running', upid: orphan.text, sinceMs: this.#look.now()}
  }

  /** After the task, so that what is seen is how it left the guest. */
  #observeGuest({intent}: Operation, {task}: Remote): Promise<Sight> {
    if (task === 'running' || task === 'unsettled' || task === 'unreachable' || task === 'several')
      return Promise.resolve({guest: 'unknown', reason: 'it was not looked at'})
    return observeTarget(intent, this.#options.reader, this.#look.cluster)
  }
}
