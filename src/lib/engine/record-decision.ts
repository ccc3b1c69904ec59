// Writes what recovery decided into the journal. Each append says what is so, and is left out where the journal
// says it already: recovery may crash between any two of them and run again.
import type {Operation} from '../model/operation.ts'
import {absentSince, type Decision} from './decide-recovery.ts'
import type {Journal} from './ports.ts'
import type {Remote, Sight} from './recovery-facts.ts'

export interface RecoveryFacts {
  readonly remote: Remote
  readonly sight: Sight
  readonly nowMs: number
}

/** The operation as the journal then has it. */
export async function recordDecision(
  journal: Pick<Journal, 'settle' | 'noteAbsence'>,
  operation: Operation,
  decision: Decision,
  facts: RecoveryFacts,
): Promise<Operation> {
  const {op} = operation.intent
  const {verdict, reason} = decision
  if (verdict === 'wait') return operation
  if (verdict === 'stay') return noteAbsence(journal, operation, facts)
  if (verdict === 'quarantine') {
    const noted = await noteAbsence(journal, operation, facts)
    if (noted.state === 'quarantined') return noted
    await journal.settle(op, {state: 'quarantined', by: 'recover', reason})
    return {...noted, state: 'quarantined', by: 'recover', reason, sinceMs: facts.nowMs}
  }
  const {identity} = decision
  await journal.settle(op, {state: verdict, by: 'recover', reason, ...(identity && {identity})})
  return {...operation, state: verdict, by: 'recover', reason, sinceMs: facts.nowMs}
}

/** Only of a creation whose answer never came is the first sight of nothing to be remembered. */
async function noteAbsence(
  journal: Pick<Journal, 'noteAbsence'>,
  operation: Operation,
  {remote, sight, nowMs}: RecoveryFacts,
): Promise<Operation> {
  const {absentSinceMs: before, ...rest} = operation
  if (operation.intent.body.type !== 'create' || remote.task !== 'none' || sight.guest === 'unknown')
    return operation
  const sinceMs = sight.guest === 'absent' ? absentSince(operation, nowMs) : undefined
  if (sinceMs === before) return operation
  await journal.noteAbsence(operation.intent.op, sinceMs)
  return {...rest, ...(sinceMs !== undefined && {absentSinceMs: sinceMs})}
}
