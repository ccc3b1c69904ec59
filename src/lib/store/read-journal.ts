// The journal for those who only look: no lock is taken, nothing is mended, nothing is written. A record that is
// being written at this moment is not seen; history streams, however long it is.
import {join} from 'node:path'
import {isOpen, type Operation} from '../model/operation.ts'
import type {Disk} from './disk.ts'
import {identityOf, journalKind} from './journal/journal-kind.ts'
import {operationOf, type JournalRecord} from './journal/journal-record.ts'
import {JournalState} from './journal/journal-state.ts'
import type {JournalIdentity} from './journal/journal-store.ts'
import {KnownTasks} from './journal/known-tasks.ts'
import type {LogPlace} from './log/append-log.ts'
import {readHistory, readNewest} from './log/read-log.ts'

export type {JournalRecord} from './journal/journal-record.ts'

export interface ReadJournalOptions {
  readonly disk: Disk
  /** The state directory. */
  readonly dir: string
}

export interface JournalView {
  /** undefined: there is no journal yet. */
  readonly identity: JournalIdentity | undefined
  openOperations(): readonly Operation[]
  disarmed(): readonly string[]
  knowsTask(upid: string): boolean
  readonly knowsTasksSinceMs: number
  lastRun(): string | undefined
  /** All of the history: each operation once, when it has ended; those still open come last. */
  operations(filter?: {readonly run?: string; readonly vmid?: number}): AsyncIterable<Operation>
  /** Looks through all of the history. */
  findOperation(op: string): Promise<Operation | undefined>
  /** Every record as it was written, oldest first; with `op`, those of that operation. */
  records(filter?: {readonly op?: string}): AsyncIterable<JournalRecord>
}

export async function readJournal(options: ReadJournalOptions): Promise<JournalView> {
  const place = {disk: options.disk, dir: join(options.dir, 'journal')}
  const newest = await readNewest(place, journalKind)
  const state = newest?.state ?? new JournalState({tasks: new KnownTasks(0)})
  return {
    identity: newest?.header && identityOf(newest.header),
    openOperations: () => state.openOperations(),
    disarmed: () => [...state.disarmed],
    knowsTask: (upid) => state.tasks.has(upid),
    knowsTasksSinceMs: state.tasks.sinceMs,
    lastRun: () => state.lastRun,
    operations: (filter = {}) => readOperations(place, filter),
    findOperation: (op) => findOperation(place, op),
    records: (filter = {}) => readRecords(place, filter.op),
  }
}

async function* readOperations(
  place: LogPlace,
  {run, vmid}: {readonly run?: string; readonly vmid?: number},
): AsyncGenerator<Operation> {
  const isAsked = ({intent}: Operation): boolean =>
    (run === undefined || intent.run === run) && (vmid === undefined || intent.target.vmid === vmid)
  let state: JournalState | undefined
  for await (const part of readHistory(place, journalKind)) {
    state = part.state
    for (const {change} of part.steps) if (change && !isOpen(change) && isAsked(change)) yield change
  }
  yield* (state?.openOperations() ?? []).filter(isAsked)
}

async function findOperation(place: LogPlace, op: string): Promise<Operation | undefined> {
  for await (const operation of readOperations(place, {})) if (operation.intent.op === op) return operation
  return undefined
}

async function* readRecords(place: LogPlace, op: string | undefined): AsyncGenerator<JournalRecord> {
  for await (const {steps} of readHistory(place, journalKind)) {
    for (const step of steps) {
      const record = step.record as JournalRecord
      if (op === undefined || operationOf(record) === op) yield record
    }
  }
}
