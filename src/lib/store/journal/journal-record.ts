// The records of the journal as they stand in the file, one change of what is known each. An operation begins
// with `started`, which holds all of its intent, and ends with one of the terminal states.
import type {GuestIdentity} from '../../model/identity.ts'
import type {Ending, Intent, Settler} from '../../model/operation.ts'

export type JournalEntry =
  | {readonly type: 'started'; readonly intent: Intent}
  | {readonly type: 'task_running'; readonly op: string; readonly upid: string}
  | {
      readonly type: Ending['state']
      readonly op: string
      readonly by: Settler
      readonly reason: string
      readonly identity?: GuestIdentity
    }
  /** `sinceMs`: since when every look has proved that there is no such guest; null: it was seen. No change of state. */
  | {readonly type: 'absence'; readonly op: string; readonly sinceMs: number | null}
  | {readonly type: 'disarmed' | 'rearmed'; readonly upids: readonly string[]}

/** An entry in its place: `at` is epoch milliseconds. */
export type JournalRecord = JournalEntry & {readonly seq: number; readonly at: number}
