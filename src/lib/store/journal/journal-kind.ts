// The journal as a log: its records, what they add up to, and what a checkpoint must hold so that the segments
// before it are needed for nothing but history.
import type {Operation} from '../../model/operation.ts'
import {BadRecord, NewerRecord, type LogHeader, type LogKind, type LogRecord} from '../log/log-kind.ts'
import {isEntryType, type JournalRecord} from './journal-record.ts'
import {JournalState} from './journal-state.ts'
import {judgeEntry} from './judge-entry.ts'
import {KnownTasks} from './known-tasks.ts'

interface JournalCheckpoint {
  readonly open: readonly Operation[]
  readonly keys: readonly string[]
  readonly disarmed: readonly string[]
  readonly tasks: {readonly sinceMs: number; readonly upids: readonly string[]}
  readonly lastRun?: string
}

export const journalKind: LogKind<JournalState, Operation | undefined> = {
  name: 'journal',
  begin: ({at}) => new JournalState({tasks: new KnownTasks(at)}),
  restore: (checkpoint) => restoreState(checkpoint),
  /** The operation as it is now. */
  apply: (state, record) => state.take(checkRecord(state, record)),
  turn: (state, previous, next) => {
    if (previous.identity['tokenId'] !== next.identity['tokenId']) state.tasks.reset(next.at)
  },
  checkpoint: (state) => ({...describeState(state)}),
}

/** Throws BadRecord. */
function checkRecord(state: JournalState, record: LogRecord): JournalRecord {
  if (!isEntryType(record.type)) throw new NewerRecord(`records of type ${record.type} are not known`)
  const known = record as JournalRecord
  const objection = judgeEntry(state, known)
  if (objection) throw new BadRecord(objection.message)
  return known
}

function restoreState({open, keys, disarmed, tasks, lastRun}: Partial<JournalCheckpoint>): JournalState {
  if (!open || !keys || !disarmed || !tasks) throw new BadRecord('the checkpoint is not whole')
  return new JournalState({
    open,
    keys,
    disarmed,
    tasks: new KnownTasks(tasks.sinceMs, tasks.upids),
    ...(lastRun !== undefined && {lastRun}),
  })
}

function describeState(state: JournalState): JournalCheckpoint {
  const {tasks, lastRun} = state
  return {
    open: state.openOperations(),
    keys: [...state.keys],
    disarmed: [...state.disarmed],
    tasks: {sinceMs: tasks.sinceMs, upids: tasks.upids},
    ...(lastRun !== undefined && {lastRun}),
  }
}

/** What a header says of whom the journal is about. */
export const identityOf = ({identity}: LogHeader): {endpoint: string; tokenId: string} => ({
  endpoint: identity['endpoint'] ?? '',
  tokenId: identity['tokenId'] ?? '',
})
