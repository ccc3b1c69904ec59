// The nonces as a log. A checkpoint holds all of them that may not be forgotten yet, so that the segments before it
// are needed for nothing.
import {BadRecord, NewerRecord, type LogKind, type LogRecord} from '../log/log-kind.ts'
import {judgeNonce} from './judge-nonce.ts'
import {isNonceEntryType, type NonceRecord} from './nonce-record.ts'
import {NonceState, type KnownNonces} from './nonce-state.ts'

export const nonceKind: LogKind<NonceState, undefined> = {
  name: 'nonces',
  begin: () => new NonceState(),
  restore: (checkpoint) => restoreState(checkpoint),
  apply: (state, record) => {
    state.take(checkRecord(state, record))
    return undefined
  },
  turn: () => undefined,
  checkpoint: (state) => ({...state.describe()}),
}

/** Throws BadRecord. */
function checkRecord(state: NonceState, record: LogRecord): NonceRecord {
  if (!isNonceEntryType(record.type)) throw new NewerRecord(`records of type ${record.type} are not known`)
  const known = record as NonceRecord
  const objection = judgeNonce(state, known)
  if (objection) throw new BadRecord(objection.message)
  return known
}

function restoreState(checkpoint: Partial<KnownNonces>): NonceState {
  const {used, clockMarkMs, trustMark, trustHash, droppedBeforeMs} = checkpoint
  if (
    !Array.isArray(used) ||
    clockMarkMs === undefined ||
    trustMark === undefined ||
    droppedBeforeMs === undefined
  )
    throw new BadRecord('the checkpoint is not whole')
  const marks = {clockMarkMs, trustMark, ...(trustHash !== undefined && {trustHash})}
  return new NonceState({used, ...marks, droppedBeforeMs})
}
