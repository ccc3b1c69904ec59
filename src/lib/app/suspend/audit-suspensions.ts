// What was suspended while somebody else had the audit is written there by whoever has it next. Until then it is kept
// with the suspensions; a crash in between writes it twice rather than never.
import type {Suspension} from '../../model/daemon.ts'
import {readKeptSuspensions, writeSuspensions} from '../../store/suspensions.ts'
import type {GateStores} from '../state/open-stores.ts'
import {withSuspensionsLock} from './with-suspensions-lock.ts'

/** Of a locked state directory. */
export type AuditPlace = Pick<GateStores, 'audit'> & {readonly dir: string}

export interface SuspensionsLock {
  readonly holder: string
  readonly lockTimeoutMs: number
  readonly signal?: AbortSignal
}

/** Whoever changes them never holds their lock for longer than a file takes. */
export const SHORT_LOCK_MS = 10_000

export async function auditSuspensions({dir, audit}: AuditPlace, lock: SuspensionsLock): Promise<void> {
  if (readUnaudited(dir).length === 0) return
  await withSuspensionsLock(lock, dir, () => auditLocked({dir, audit}))
}

/** The caller holds both locks. */
export async function auditLocked({dir, audit}: AuditPlace): Promise<void> {
  const kept = readKeptSuspensions(dir)
  if ('problem' in kept || kept.unaudited.length === 0) return
  for (const {vmid, sinceMs, untilMs, reason, by} of kept.unaudited)
    await audit.note({
      type: 'suspended',
      ...(vmid !== 'all' && {vmid}),
      sinceMs,
      ...(untilMs !== undefined && {untilMs}),
      ...(reason !== undefined && {reason}),
      by,
    })
  writeSuspensions(dir, kept.suspensions)
}

/** None where they cannot be read: what was lost with them is not to be found elsewhere. */
function readUnaudited(dir: string): readonly Suspension[] {
  const kept = readKeptSuspensions(dir)
  return 'problem' in kept ? [] : kept.unaudited
}
