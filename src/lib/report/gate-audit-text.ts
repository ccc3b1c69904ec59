// The audit as a story: one line for each decision, and for what people did to the things that it decides by.
import type {AuditHead, AuditRecord} from '../model/audit.ts'
import {escapeText} from './escape-text.ts'
import {showTime} from './journal-times.ts'
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'
import {renderFitting, wrapText, type Cell} from './text-table.ts'

export interface AuditTextOptions {
  readonly palette: Palette
  readonly width: number
}

export function renderAudit(
  records: readonly AuditRecord[],
  total: number,
  {palette, width}: AuditTextOptions,
): string {
  if (total === 0) return 'The audit is empty.'
  const header = ['SEQ', 'TIME', 'GUEST', 'WHAT', 'DECISION', 'WHO AND WHY'].map((text): Cell => ({
    text,
    paint: palette.dim,
  }))
  const rows = records.map((record): Cell[] => [
    {text: String(record.seq)},
    {text: showTime(record.at)},
    ...describeRecord(record, palette),
  ])
  const count =
    records.length === total ? plural(total, 'record') : `${records.length} of ${plural(total, 'record')}`
  const table = renderFitting([header, ...rows], {width, below: header.length - 1, indent: '     '})
  return [...table, '', `${count}, oldest first.`].join('\n')
}

function describeRecord(record: AuditRecord, palette: Palette): Cell[] {
  switch (record.type) {
    case 'decision': {
      const {vmid, op, decision, refusal, signers, message, nonce} = record
      const isAllowed = decision === 'allow'
      const who = signers.map(({principal, fingerprint}) => `${principal} (${fingerprint})`).join(', ')
      const why = [who, isAllowed ? '' : (message ?? ''), nonce === undefined ? '' : `nonce ${nonce}`]
      return [
        {text: vmid === undefined ? '-' : String(vmid)},
        {text: op},
        {text: isAllowed ? 'allow' : (refusal ?? 'refuse'), paint: isAllowed ? palette.good : palette.warn},
        {text: why.filter((text) => text !== '').join('; ') || record.class},
      ]
    }
    case 'trust_changed':
      return event('trust store', 'changed', `version ${record.version} by ${record.signers.join(', ')}`)
    case 'clock_reset':
      return event(
        'clock mark',
        'reset',
        `${record.by}: ${showTime(record.fromMs)} to ${showTime(record.toMs)}`,
      )
    case 'journal_rearmed':
      return event('journal', 'rearmed', `${record.by}: ${plural(record.tasks.length, 'alarm')}`)
    case 'approval_rejected':
      return event('approval', 'rejected', `${record.by}: ${record.reason}; nonce ${record.nonce}`)
    case 'suspended': {
      const {by, reason, sinceMs, untilMs, vmid} = record
      const isLate = sinceMs !== undefined && record.at - sinceMs > LATE_MS
      const since = isLate ? `; since ${showTime(sinceMs)}` : ''
      const until = untilMs === undefined ? '' : `; until ${showTime(untilMs)}`
      return event(
        'daemon',
        'suspended',
        `${by}${reason === undefined ? '' : `: ${reason}`}${since}${until}`,
        vmid ?? 'all',
      )
    }
    case 'resumed':
      return event('daemon', 'resumed', record.by, record.vmid ?? 'all')
    case 'source_accepted':
      return event(
        'source',
        'accepted',
        `${record.by}: ${record.revision} of ${record.place}; ${record.reason}`,
      )
  }
}

/** Less is not worth a word. */
const LATE_MS = 60_000

const event = (what: string, decision: string, why: string, guest: number | string = '-'): Cell[] => [
  {text: String(guest)},
  {text: what},
  {text: decision},
  {text: why},
]

/** `17:4be0…`: to be kept where whoever could cut the audit cannot reach. */
export const showHead = (head: AuditHead | undefined): string => (head ? `${head.seq}:${head.h}` : 'none')

export interface CheckedAudit {
  readonly segments: readonly string[]
  readonly records: number
  readonly head?: AuditHead
  readonly problems: readonly {readonly file: string; readonly line: number; readonly message: string}[]
  readonly holdsAnchor?: boolean
}

export function renderCheckedAudit(checked: CheckedAudit, {palette, width}: AuditTextOptions): string {
  const {records, segments, problems, head, holdsAnchor} = checked
  const lines = problems.map(({file, line, message}) =>
    palette.bad(wrapText(escapeText(`${file}, line ${line}: ${message}`), width)),
  )
  const verdict =
    problems.length === 0
      ? palette.good(
          `Every record is as it was written: ${plural(records, 'record')} in ${plural(segments.length, 'file')}.`,
        )
      : palette.bad('The audit is damaged.')
  const anchor =
    holdsAnchor === undefined
      ? []
      : [
          holdsAnchor
            ? palette.good('The given head is in it.')
            : palette.bad('The given head is not in it: its end was cut off, or it was replaced.'),
        ]
  return [...lines, verdict, ...anchor, `Head: ${showHead(head)}`].join('\n')
}
