// What becomes of an open operation, from what Proxmox says of its task and of its guest: the decision table with
// the times that belong to it. It is pure, and it answers every combination with an end, quarantine, or patience.
import {identifyGuest, type GuestIdentity} from '../model/identity.ts'
import type {Operation} from '../model/operation.ts'
import {readUpid} from '../model/upid.ts'
import {isHandedOn} from './await-following.ts'
import {describeOutcome} from './describe-recovery.ts'
import type {Remote, Sight} from './recovery-facts.ts'
import {
  configStanding,
  creationStanding,
  destructionStanding,
  levelStanding,
  rollbackStanding,
  snapshotStanding,
  type RecoveryStanding,
} from './recovery-standing.ts'
import {
  BLIND,
  CONFIG,
  CREATION,
  DESTRUCTION,
  LEVEL,
  RESIZE,
  SNAPSHOT,
  type Cell,
  type Settled,
  type TaskEnd,
} from './recovery-table.ts'

/** Times are epoch milliseconds. */
export type Decision =
  /** Its task runs. */
  | {readonly verdict: 'wait'; readonly reason: string; readonly lookAgainMs: number}
  /** Nothing can be said yet: it stays open, and its guest frozen. */
  | {readonly verdict: 'stay'; readonly reason: string; readonly lookAgainMs: number}
  | {readonly verdict: 'quarantine'; readonly reason: string}
  | {readonly verdict: Settled; readonly reason: string; readonly identity?: GuestIdentity}

export type {Remote, Settled, Sight}

export type DecideRecovery = (operation: Operation, remote: Remote, sight: Sight, nowMs: number) => Decision

const RUNNING_AGAIN_MS = 30_000
const UNREACHABLE_AGAIN_MS = 60_000
const FOLLOW_AGAIN_MS = 2_000
/** The HA manager and the node's agent take turns of ten seconds; a machine that reboots is started by a third. */
const FOLLOW_MS = 120_000
/** Between two sights of nothing. */
export const ABSENCE_MS = 10 * 60_000

export const decideRecovery: DecideRecovery = (operation, remote, sight, nowMs) => {
  switch (remote.task) {
    case 'running':
      return {verdict: 'wait', reason: 'its task is running', lookAgainMs: nowMs + RUNNING_AGAIN_MS}
    case 'unreachable':
      return stay(remote.reason, nowMs + UNREACHABLE_AGAIN_MS)
    case 'unsettled':
      return stay('no answer came, and the request may still be on its way', remote.untilMs)
    case 'several':
      return {
        verdict: 'quarantine',
        reason: `no answer came, and it cannot be told which task is its: ${remote.upids.join(', ')}`,
      }
    default:
      return decideByTable(operation, remote, sight, nowMs)
  }
}

const stay = (reason: string, lookAgainMs: number): Decision => ({verdict: 'stay', reason, lookAgainMs})

function decideByTable(
  operation: Operation,
  remote: Extract<Remote, {task: TaskEnd}>,
  sight: Sight,
  nowMs: number,
): Decision {
  const {intent} = operation
  const found = findCell(operation, remote.task, sight)
  if (!found) return stay(`the guest cannot be judged: ${whyUnknown(sight)}`, nowMs + UNREACHABLE_AGAIN_MS)
  const {cell, standing} = found
  if (isToFollow(operation, remote, standing, nowMs))
    return stay('its task only asked for the change, which is to follow', nowMs + FOLLOW_AGAIN_MS)
  const reason = describeOutcome(intent, remote, standing)
  if (cell === 'quarantine') return {verdict: cell, reason}
  if (cell === 'absent_twice') return decideByAbsence(operation, reason, nowMs)
  const isPlain = cell === 'succeeded' && remote.task === 'ok' && remote.exit === 'OK'
  return {verdict: cell, reason: isPlain ? '' : reason, ...newIdentity(operation, cell, sight)}
}

function findCell(
  {intent}: Operation,
  task: TaskEnd,
  sight: Sight,
): {cell: Cell; standing: RecoveryStanding} | undefined {
  const {body} = intent
  if (body.type === 'create') {
    const standing = creationStanding(intent, body, sight)
    return standing && {cell: CREATION[task][standing], standing}
  }
  if (body.type === 'destroy') {
    const standing = destructionStanding(intent, sight)
    return standing && {cell: DESTRUCTION[task][standing], standing}
  }
  if (body.type === 'set-config') {
    const standing = configStanding(intent, body, sight)
    return standing && {cell: CONFIG[task][standing], standing}
  }
  if (body.type === 'snapshot-delete') {
    const standing = snapshotStanding(intent, body, sight)
    return standing && {cell: SNAPSHOT[task][standing], standing}
  }
  if (body.type === 'snapshot-rollback' || body.type === 'job') {
    // Who cannot be read is not worth waiting for: it would tell nothing.
    const standing = body.type === 'job' ? 'blind' : rollbackStanding(intent, sight)
    return {cell: BLIND[task][standing], standing}
  }
  const standing = levelStanding(intent, sight)
  const table = body.type === 'resize' ? RESIZE : LEVEL
  return standing && {cell: table[task][standing], standing}
}

function whyUnknown(sight: Sight): string {
  if (sight.guest === 'unknown') return sight.reason
  if (sight.guest === 'present' && !sight.actual.config.known) return sight.actual.config.reason
  return 'its state is unknown'
}

/** Some tasks end with the word that the HA manager, or the event daemon, will do the rest. */
function isToFollow(
  {intent, upid, sinceMs}: Operation,
  remote: Remote,
  standing: RecoveryStanding,
  nowMs: number,
): boolean {
  if (remote.task !== 'ok' || standing === 'reached' || upid === undefined) return false
  const task = readUpid(upid)
  if (!task || !isHandedOn(task)) return false
  const graceMs = intent.body.type === 'shutdown' ? intent.body.timeoutMs : 0
  const ageMs = nowMs - sinceMs
  // A record that lies in the future was made by a clock that was put back since: nobody waits until it comes true.
  return ageMs >= 0 && ageMs < graceMs + FOLLOW_MS
}

function decideByAbsence(operation: Operation, reason: string, nowMs: number): Decision {
  const sinceMs = absentSince(operation, nowMs)
  if (nowMs - sinceMs >= ABSENCE_MS)
    return {verdict: 'failed', reason: `${reason}, and has not been for ten minutes`}
  return stay(`${reason}; it must be absent for ten minutes`, sinceMs + ABSENCE_MS)
}

/** A first sight that lies in the future was taken by a clock that was put back since: it counts from now. */
export function absentSince({absentSinceMs}: Operation, nowMs: number): number {
  return absentSinceMs !== undefined && absentSinceMs <= nowMs ? absentSinceMs : nowMs
}

/** Who a guest that we made is from now on. */
function newIdentity({intent}: Operation, cell: Settled, sight: Sight): {identity?: GuestIdentity} {
  if (intent.body.type !== 'create' || cell === 'failed') return {}
  if (sight.guest !== 'present' || !sight.actual.config.known) return {}
  return {identity: identifyGuest(intent.target, sight.actual.config.current)}
}
