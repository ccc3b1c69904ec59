// The audit for those who only look: no lock is taken and nothing is written. Records stream, however many there are.
import {join} from 'node:path'
import type {AuditHead, AuditRecord} from '../../model/audit.ts'
import type {Disk} from '../disk.ts'
import {nameLog} from '../log/explain-damage.ts'
import type {LogProblem} from '../log/log-problem.ts'
import {readHistory, readNewest} from '../log/read-log.ts'
import {verifyLog} from '../log/verify-log.ts'
import {auditKind} from './audit-kind.ts'
import {AUDIT_HINT} from './open-audit.ts'

export interface ReadAuditOptions {
  readonly disk: Disk
  /** The state directory. */
  readonly dir: string
}

/** Every record that is kept, oldest first. Throws journal_corrupt where it stops. */
export async function* readAudit({disk, dir}: ReadAuditOptions): AsyncGenerator<AuditRecord> {
  try {
    for await (const {steps} of readHistory({disk, dir: join(dir, 'audit')}, auditKind))
      for (const {record} of steps) yield record as unknown as AuditRecord
  } catch (error) {
    throw nameLog(error, 'audit', AUDIT_HINT)
  }
}

/** Of the newest segment alone; undefined: there is no audit yet. Throws journal_corrupt. */
export async function readAuditHead({disk, dir}: ReadAuditOptions): Promise<AuditHead | undefined> {
  try {
    const newest = await readNewest({disk, dir: join(dir, 'audit')}, auditKind)
    return newest && {seq: newest.end.seq, h: newest.end.h}
  } catch (error) {
    throw nameLog(error, 'audit', AUDIT_HINT)
  }
}

export interface AuditReport {
  /** File names, oldest first. */
  readonly segments: readonly string[]
  readonly records: number
  readonly bytes: number
  readonly head?: AuditHead
  /** Empty: all is as it was written. */
  readonly problems: readonly LogProblem[]
  /** An append that a crash, or a writer at work, left unfinished: no damage; the next writer mends it. */
  readonly torn?: {readonly file: string; readonly offset: number; readonly bytes: number}
  /** Whether a head that was kept elsewhere is still there: if not, the end was cut off, or all of it replaced. */
  readonly holdsAnchor?: boolean
}

/** Every segment, every hash; with `anchor`, an earlier head, that it is still in it. */
export async function verifyAudit({disk, dir}: ReadAuditOptions, anchor?: AuditHead): Promise<AuditReport> {
  const {segments, records, bytes, problems, torn, headSeq, head} = await verifyLog(
    {disk, dir: join(dir, 'audit')},
    auditKind,
  )
  return {
    segments,
    records,
    bytes,
    ...(head !== undefined && {head: {seq: headSeq, h: head}}),
    problems,
    ...(torn && {torn}),
    ...(anchor && {holdsAnchor: problems.length === 0 && (await holds({disk, dir}, anchor))}),
  }
}

async function holds(place: ReadAuditOptions, {seq, h}: AuditHead): Promise<boolean> {
  for await (const record of readAudit(place)) if (record.seq === seq) return record.h === h
  return false
}
