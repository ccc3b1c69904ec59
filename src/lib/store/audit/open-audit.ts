// Opens the audit for writing: a record is there for good when its append has resolved, and nothing is ever taken
// back. Old segments go only when the operator asks for it.
import {join} from 'node:path'
import type {Decision} from '../../model/approval.ts'
import type {AuditEntry, AuditEvent, AuditHead} from '../../model/audit.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {Disk} from '../disk.ts'
import {compactLog, type LogCompaction} from '../log/compact-log.ts'
import {explainDamage} from '../log/explain-damage.ts'
import {LateLog} from '../log/late-log.ts'
import type {OpenLogOptions} from '../log/open-log.ts'
import {auditKind, findProblem, type AuditState} from './audit-kind.ts'

export interface OpenAuditOptions {
  readonly disk: Disk
  /** The state directory; the segments are in `audit` in it. The caller holds its lock. */
  readonly dir: string
  readonly clock: {now(): number}
  readonly warn: (text: string) => void
  /** A segment is ended when it has grown to this. */
  readonly segmentBytes?: number
}

export interface OpenAudit {
  /** Resolves when it is on disk; rejects with journal_failed if it cannot be kept: then nothing may be done. */
  append(decision: Decision): Promise<void>
  /** The same for what people did. */
  note(event: AuditEvent): Promise<void>
  head(): AuditHead
  /** Removes segments whose last record is older than this; never the newest. */
  compact(options: {readonly olderThanMs: number}): Promise<LogCompaction>
  close(): Promise<void>
}

/** Smaller than the journal's: the newest is read whole whenever it is opened. */
const SEGMENT_BYTES = 4 * 1024 * 1024

export const AUDIT_HINT =
  'Look at it with: felhom gate audit --verify. If the disk or a restore is at fault, mend that first. To go on without it, move the folder audit away and keep it: a new audit begins.'

/** The caller holds the lock of the state directory. */
export async function openAudit(options: OpenAuditOptions): Promise<OpenAudit> {
  const {clock} = options
  const place = auditLog(options)
  const log = await explainDamage('audit', AUDIT_HINT, () => LateLog.open(place))
  const append = async (entry: AuditEntry): Promise<void> => {
    const problem = findProblem(entry)
    if (problem !== undefined) throw new FelhomError('unexpected', problem, {doubt: 'Nothing was sent.'})
    await log.append({at: clock.now(), ...entry})
  }
  return {
    append: (decision) => append({type: 'decision', ...decision}),
    note: append,
    head: () => log.head,
    compact: ({olderThanMs}) => compact(log, place, clock.now() - olderThanMs),
    close: () => log.close(),
  }
}

function auditLog(options: OpenAuditOptions): OpenLogOptions<AuditState> {
  const {disk, dir, clock, warn, segmentBytes = SEGMENT_BYTES} = options
  return {disk, dir: join(dir, 'audit'), identity: {}, kind: auditKind, clock, warn, segmentBytes}
}

async function compact(
  {written}: LateLog<AuditState>,
  place: OpenLogOptions<AuditState>,
  beforeMs: number,
): Promise<LogCompaction> {
  if (!written) return {removed: [], kept: []}
  return written.exclusively(() => compactLog(place, written.header, beforeMs))
}
