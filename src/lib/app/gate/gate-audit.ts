// The audit for those who look at it: its newest records, its head, and whether all of it is as it was written.
import type {AuditHead, AuditRecord} from '../../model/audit.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {Settings} from '../../settings/settings.ts'
import {readAudit, readAuditHead, verifyAudit, type AuditReport} from '../../store/audit/read-audit.ts'
import {systemDisk} from '../../store/system-disk.ts'

export type {AuditReport}

/** The newest `limit`, oldest first, and how many there are in all. */
export async function listAudit(
  {state}: Pick<Settings, 'state'>,
  limit: number,
): Promise<{records: AuditRecord[]; total: number}> {
  const records: AuditRecord[] = []
  let total = 0
  for await (const record of readAudit({disk: systemDisk, dir: state})) {
    total++
    records.push(record)
    if (records.length > 2 * limit) records.splice(0, records.length - limit)
  }
  return {records: records.slice(-limit), total}
}

export const findAuditHead = ({state}: Pick<Settings, 'state'>): Promise<AuditHead | undefined> =>
  readAuditHead({disk: systemDisk, dir: state})

/** `anchor`: a head that was kept elsewhere, as `felhom gate audit --head` prints it. */
export function checkAudit(
  {state}: Pick<Settings, 'state'>,
  anchor: string | undefined,
): Promise<AuditReport> {
  return verifyAudit({disk: systemDisk, dir: state}, anchor === undefined ? undefined : parseHead(anchor))
}

function parseHead(text: string): AuditHead {
  const [, seq, h] = /^(\d{1,15}):([\w+/=-]{8,128})$/.exec(text) ?? []
  if (seq !== undefined && h !== undefined) return {seq: Number(seq), h}
  throw new FelhomError('usage', `${JSON.stringify(text)} is no head of an audit`, {
    hint: 'It has the form that felhom gate audit --head prints: 17:4be0…',
    doubt: 'Nothing was read.',
  })
}

export const isWhole = ({problems, holdsAnchor}: AuditReport): boolean =>
  problems.length === 0 && holdsAnchor !== false
