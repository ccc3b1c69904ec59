// What the records add up to: open operations, the guests they freeze, keys that were used, and which tasks are
// known. Ended operations are forgotten but for a few, so that a long history costs no memory.
import {isOpen, involvedVmids, type Operation} from '../../model/operation.ts'
import {isSameIdentity, type GuestIdentity} from '../../model/identity.ts'
import type {JournalEntry, JournalRecord, SettledEntry} from './journal-record.ts'
import {KnownTasks} from './known-tasks.ts'

/** Kept for those who ask what became of an operation of a moment ago. */
const RECENT_OPERATIONS = 256
/** Of signed jobs: they are asked about for as long as a source brings them, whatever else is done meanwhile. */
const RECENT_KEYED = 1000

export class JournalState {
  readonly #open: Map<string, Operation>
  /** The open operation that keeps a guest busy. */
  readonly #frozen = new Map<number, string>()
  readonly #recent = new Map<string, Operation>()
  /** By key. */
  readonly #recentKeyed = new Map<string, Operation>()
  readonly keys: Set<string>
  readonly disarmed: Set<string>
  readonly tasks: KnownTasks
  lastRun: string | undefined

  constructor(known: {
    readonly open?: readonly Operation[]
    readonly keys?: readonly string[]
    readonly disarmed?: readonly string[]
    readonly tasks: KnownTasks
    readonly lastRun?: string
  }) {
    this.#open = new Map((known.open ?? []).map((operation) => [operation.intent.op, operation]))
    for (const operation of this.#open.values()) this.#freeze(operation)
    this.keys = new Set(known.keys)
    this.disarmed = new Set(known.disarmed)
    this.tasks = known.tasks
    this.lastRun = known.lastRun
  }

  /** Oldest first. */
  openOperations(): readonly Operation[] {
    return [...this.#open.values()]
  }

  findOpen(op: string): Operation | undefined {
    return this.#open.get(op)
  }

  findRecent(op: string): Operation | undefined {
    return this.#open.get(op) ?? this.#recent.get(op)
  }

  /** An operation of a moment ago that was started under this key. */
  findByKey(key: string): Operation | undefined {
    return [...this.#open.values()].find(({intent}) => intent.key === key) ?? this.#recentKeyed.get(key)
  }

  /** Whether this run has made this very guest; that of a long run may be forgotten, and then it is not proved. */
  hasCreated(run: string, identity: GuestIdentity): boolean {
    return [...this.#recent.values()].some(
      ({intent, state, created}) =>
        intent.run === run &&
        intent.body.type === 'create' &&
        state === 'succeeded' &&
        created !== undefined &&
        created.ids.length > 0 &&
        isSameIdentity(created, identity),
    )
  }

  frozenBy(vmid: number): string | undefined {
    return this.#frozen.get(vmid)
  }

  /** Takes in a record that `judgeEntry` has nothing against; the operation as it is now. */
  take(record: JournalRecord): Operation | undefined {
    switch (record.type) {
      case 'started':
        return this.#start(record)
      case 'disarmed':
        for (const upid of record.upids) this.disarmed.add(upid)
        return undefined
      case 'rearmed':
        for (const upid of record.upids) this.#rearm(upid, record.at)
        return undefined
      default:
        return this.#update(record)
    }
  }

  #start({intent, at}: JournalRecord & {type: 'started'}): Operation {
    const operation: Operation = {intent, state: 'started', sinceMs: at}
    this.#open.set(intent.op, operation)
    this.#freeze(operation)
    if (intent.key !== undefined) this.keys.add(intent.key)
    this.lastRun = intent.run
    return operation
  }

  #update(record: Exclude<JournalRecord, {type: 'started' | 'disarmed' | 'rearmed'}>): Operation | undefined {
    const before = this.#open.get(record.op)
    if (!before) return undefined
    const after = advance(before, record)
    if (record.type === 'task_running') this.tasks.add(record.upid, record.at)
    if (isOpen(after)) this.#open.set(record.op, after)
    else this.#end(after)
    return after
  }

  #freeze({intent}: Operation): void {
    for (const vmid of involvedVmids(intent)) this.#frozen.set(vmid, intent.op)
  }

  #end(operation: Operation): void {
    const {op, key} = operation.intent
    this.#open.delete(op)
    for (const vmid of involvedVmids(operation.intent)) this.#frozen.delete(vmid)
    keepLatest(this.#recent, op, operation, RECENT_OPERATIONS)
    if (key !== undefined) keepLatest(this.#recentKeyed, key, operation, RECENT_KEYED)
  }

  #rearm(upid: string, atMs: number): void {
    this.disarmed.delete(upid)
    this.tasks.add(upid, atMs)
  }
}

function keepLatest(known: Map<string, Operation>, name: string, operation: Operation, most: number): void {
  known.set(name, operation)
  if (known.size <= most) return
  const oldest = known.keys().next()
  if (!oldest.done) known.delete(oldest.value)
}

function advance(
  before: Operation,
  record: JournalRecord & Extract<JournalEntry, {type: 'task_running' | 'absence'} | SettledEntry>,
): Operation {
  // Field by field: to spread an object costs more than to read a record.
  const {intent, state, sinceMs, upid, by, reason, absentSinceMs} = before
  const after: Writable<Operation> = {intent, state, sinceMs}
  if (upid !== undefined) after.upid = upid
  if (by !== undefined) after.by = by
  if (reason !== undefined) after.reason = reason
  if (record.type === 'absence') {
    if (record.sinceMs !== null) after.absentSinceMs = record.sinceMs
    return after
  }
  if (absentSinceMs !== undefined) after.absentSinceMs = absentSinceMs
  after.sinceMs = record.at
  if (record.type === 'task_running') {
    after.state = 'task_running'
    after.upid = record.upid
  } else {
    after.state = record.type
    after.by = record.by
    after.reason = record.reason
    if (record.identity) after.created = record.identity
  }
  return after
}

type Writable<T> = {-readonly [Key in keyof T]: T[Key]}
