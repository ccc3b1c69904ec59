// The records of the journal as they stand in the file, one change of what is known each. An operation begins
// with `started`, which holds all of its intent, and ends with one of the terminal states.
import type {GuestIdentity} from '../../model/identity.ts'
import type {Ending, Intent, Settler} from '../../model/operation.ts'

export type JournalEntry =
  | {readonly type: 'started'; readonly intent: Intent}
  | {readonly type: 'task_running'; readonly op: string; readonly upid: string}
  /** Since when every look has proved that there is no such guest; null: it was seen. */
  | {readonly type: 'absence'; readonly op: string; readonly sinceMs: number | null}
  | SettledEntry
  | {readonly type: 'disarmed' | 'rearmed'; readonly upids: readonly string[]}

export interface SettledEntry {
  readonly type: Ending['state']
  readonly op: string
  readonly by: Settler
  readonly reason: string
  readonly identity?: GuestIdentity
}

/** An entry in its place: `at` is epoch milliseconds. */
export type JournalRecord = JournalEntry & {readonly seq: number; readonly at: number}

const SETTLED = {
  succeeded: true,
  failed: true,
  satisfied: true,
  superseded: true,
  abandoned: true,
  quarantined: true,
} as const satisfies Record<Ending['state'], true>

const TYPES = {
  ...SETTLED,
  started: true,
  task_running: true,
  absence: true,
  disarmed: true,
  rearmed: true,
} as const satisfies Record<JournalEntry['type'], true>

export const isEntryType = (type: string): type is JournalEntry['type'] => Object.hasOwn(TYPES, type)

export const isSettled = (entry: JournalEntry): entry is SettledEntry => Object.hasOwn(SETTLED, entry.type)

/** The operation that an entry is about. */
export function operationOf(entry: JournalEntry): string | undefined {
  if (entry.type === 'started') return entry.intent.op
  return 'op' in entry ? entry.op : undefined
}
