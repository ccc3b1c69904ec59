// What recovery can know of an operation that was left open: of its task, and of its guest.
import type {ActualGuest} from '../model/actual.ts'
import type {Snapshot} from '../model/snapshot.ts'

/** What can be said of the task of an operation. */
export type Remote =
  | {readonly task: 'running'}
  | {readonly task: 'ok'; readonly exit: string}
  | {readonly task: 'failed'; readonly exit: string}
  /** Killed or rebooted before it could write its verdict. */
  | {readonly task: 'unexpected'}
  /** No such task: its log was rotated away. */
  | {readonly task: 'lost'}
  /** The answer never came, and no task of ours is there that could be it; a config write never has one. */
  | {readonly task: 'none'}
  /** The answer never came, and it cannot be told which of the tasks is the operation's. */
  | {readonly task: 'several'; readonly upids: readonly string[]}
  /** The answer never came, and the request may still be on its way. */
  | {readonly task: 'unsettled'; readonly untilMs: number}
  | {readonly task: 'unreachable'; readonly reason: string}

/** What can be said of the guest. `absent` is proved, not merely not seen. */
export type Sight =
  | {
      readonly guest: 'present'
      readonly actual: ActualGuest
      /** Read for those operations alone that are about one. */
      readonly snapshots?: readonly Snapshot[]
    }
  | {readonly guest: 'absent'}
  | {readonly guest: 'unknown'; readonly reason: string}
