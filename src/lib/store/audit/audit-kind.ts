// The audit as a log: its records add up to nothing but their number, so that none can be missing unnoticed behind
// a checkpoint.
import type {AuditEntry} from '../../model/audit.ts'
import {BadRecord, NewerRecord, type LogKind} from '../log/log-kind.ts'

export interface AuditState {
  records: number
}

export const auditKind: LogKind<AuditState, undefined> = {
  name: 'audit',
  begin: () => ({records: 0}),
  restore: ({records}) => {
    if (!isCount(records)) throw new BadRecord('the checkpoint is not whole')
    return {records}
  },
  apply: (state, record) => {
    if (!isEntryType(record.type)) throw new NewerRecord(`records of type ${record.type} are not known`)
    const problem = findProblem(record as unknown as AuditEntry)
    if (problem !== undefined) throw new BadRecord(problem)
    state.records++
    return undefined
  },
  turn: () => undefined,
  checkpoint: ({records}) => ({records}),
}

/** Why this is no entry of its type; the same for what is to be written and for what is read back. */
export function findProblem(entry: AuditEntry): string | undefined {
  const bad = Object.entries(FIELDS[entry.type]).find(
    ([name, isRight]) => !isRight((entry as unknown as Record<string, unknown>)[name]),
  )
  return bad && `a record ${entry.type} cannot have this ${bad[0]}`
}

type Check = (value: unknown) => boolean

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isText: Check = (value) => typeof value === 'string'
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText)
const isOptional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const isOneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string)
const isSigners: Check = (value) =>
  Array.isArray(value) &&
  value.every((signer: Partial<Record<string, unknown>> | null) => {
    return signer !== null && isText(signer['principal']) && isText(signer['fingerprint'])
  })

const FIELDS: Record<AuditEntry['type'], Readonly<Record<string, Check>>> = {
  decision: {
    op: isText,
    class: isOneOf('benign', 'destructive'),
    vmid: isOptional(isCount),
    action: isOptional(isText),
    statement: isOptional(isText),
    nonce: isOptional(isText),
    signers: isSigners,
    decision: isOneOf('allow', 'refuse'),
    refusal: isOptional(isText),
    message: isOptional(isText),
  },
  trust_changed: {version: isCount, hash: isText, signers: isTexts},
  clock_reset: {fromMs: isCount, toMs: isCount, by: isText},
  journal_rearmed: {tasks: isTexts, by: isText},
  approval_rejected: {
    nonce: isText,
    statement: isText,
    action: isOptional(isText),
    reason: isText,
    by: isText,
  },
  suspended: {
    vmid: isOptional(isCount),
    sinceMs: isOptional(isCount),
    untilMs: isOptional(isCount),
    reason: isOptional(isText),
    by: isText,
  },
  resumed: {vmid: isOptional(isCount), by: isText},
  source_accepted: {place: isText, revision: isText, reason: isText, by: isText},
}

const isEntryType = (type: string): type is AuditEntry['type'] => Object.hasOwn(FIELDS, type)
