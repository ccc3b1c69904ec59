// The decision table of recovery: what an open operation becomes, from what Proxmox says of its task and of its
// guest. It is pure, gives every combination an answer, and none of its answers sends anything.
import type {ActualGuest} from '../model/actual.ts'
import type {GuestIdentity} from '../model/identity.ts'
import type {Operation} from '../model/operation.ts'

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
  /** The answer never came, and more than one task could be it. */
  | {readonly task: 'several'; readonly upids: readonly string[]}
  /** The answer never came, and the request may still be on its way. */
  | {readonly task: 'unsettled'; readonly untilMs: number}
  | {readonly task: 'unreachable'; readonly reason: string}

/** What can be said of the guest. `absent` is proved, not merely not seen. */
export type Sight =
  | {readonly guest: 'present'; readonly actual: ActualGuest}
  | {readonly guest: 'absent'}
  | {readonly guest: 'unknown'; readonly reason: string}

/** Times are epoch milliseconds. */
export type Decision =
  | {readonly verdict: 'wait'; readonly reason: string; readonly lookAgainMs: number}
  | {readonly verdict: 'stay'; readonly reason: string; readonly lookAgainMs: number}
  | {readonly verdict: 'quarantine'; readonly reason: string}
  | {readonly verdict: Settled; readonly reason: string; readonly identity?: GuestIdentity}

/** `failed` and `superseded`: what is still desired is planned again, as something new. */
export type Settled = 'succeeded' | 'satisfied' | 'failed' | 'superseded'

export function decideRecovery(operation: Operation, remote: Remote, sight: Sight, nowMs: number): Decision {
  const reason = `${operation.intent.op}: ${remote.task}, ${sight.guest}`
  return {verdict: 'stay', reason, lookAgainMs: nowMs}
}
