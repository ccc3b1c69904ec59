// Whether an entry may follow on what is known. One set of rules for what is to be written and for what is read
// back: what could never have been written is not believed, and what would not be believed is never written.
import type {ErrorCode} from '../../model/error-codes.ts'
import type {NonceEntry, UsedNonce} from './nonce-record.ts'
import type {NonceState} from './nonce-state.ts'

export interface Objection {
  readonly code: Extract<ErrorCode, 'nonce_used' | 'unexpected'>
  readonly message: string
  readonly hint?: string
}

const MOST_NONCE_LENGTH = 128

const wrong = (message: string): Objection => ({code: 'unexpected', message})
const used = (message: string, hint: string): Objection => ({code: 'nonce_used', message, hint})

const SIGN_ANEW = 'An approval allows one thing, once: a new one must be signed.'

export function judgeNonce(state: NonceState, entry: NonceEntry): Objection | undefined {
  switch (entry.type) {
    case 'burned':
    case 'rejected':
      return judgeShape(entry) ?? judgeUse(state, entry)
    case 'mark':
      return judgeMark(state, entry)
    case 'clock_reset':
      if (!isCount(entry.clockMs)) return wrong(`${String(entry.clockMs)} is no time`)
      return typeof entry.by === 'string'
        ? undefined
        : wrong('a reset of the clock needs somebody who said so')
    case 'dropped':
      return judgeDrop(state, entry.beforeMs)
  }
}

type Use = NonceEntry & {type: 'burned' | 'rejected'}

function judgeShape(entry: Use): Objection | undefined {
  const {nonce, statement, expMs} = entry
  if (typeof nonce !== 'string' || nonce === '' || nonce.length > MOST_NONCE_LENGTH)
    return wrong(`${nonce} is no nonce`)
  if (typeof statement !== 'string') return wrong(`the nonce ${nonce} is of no statement`)
  if (!isCount(expMs)) return wrong(`the statement of the nonce ${nonce} never ends`)
  if (entry.type === 'rejected' && typeof entry.reason !== 'string')
    return wrong(`the nonce ${nonce} is rejected without a reason`)
  return undefined
}

function judgeUse(state: NonceState, {nonce, expMs}: Use): Objection | undefined {
  const before = state.find(nonce)
  if (before) return used(`the nonce ${nonce} was ${before.state} before`, SIGN_ANEW)
  return expMs < state.droppedBeforeMs ? objectForgotten(nonce) : undefined
}

export const objectClaimed = (nonce: string, state: UsedNonce['state']): Objection =>
  used(`the nonce ${nonce} is being ${state} at this moment`, SIGN_ANEW)

export const objectForgotten = (nonce: string): Objection =>
  used(
    `the statement of the nonce ${nonce} ended so long ago that its use may have been forgotten`,
    'If the clock was far ahead when old approvals were dropped: move the folder nonces away and rotate the trust store (felhom gate trust rotate), so that no approval made before counts any more.',
  )

function judgeMark(state: NonceState, entry: NonceEntry & {type: 'mark'}): Objection | undefined {
  const {clockMs, trust, trustHash} = entry
  if (clockMs === undefined && trust === undefined) return wrong('a mark that marks nothing')
  if (clockMs !== undefined && !(isCount(clockMs) && clockMs > state.clockMarkMs))
    return wrong(`the clock mark cannot go from ${state.clockMarkMs} to ${String(clockMs)}`)
  if (trust !== undefined && !(isCount(trust) && trust > state.trustMark))
    return wrong(`the trust mark cannot go from ${state.trustMark} to ${String(trust)}`)
  if (trustHash !== undefined && (trust === undefined || typeof trustHash !== 'string'))
    return wrong('a hash that is of no version')
  return undefined
}

function judgeDrop(state: NonceState, beforeMs: number): Objection | undefined {
  if (!isCount(beforeMs) || beforeMs > state.droppableBeforeMs)
    return wrong(`nonces of statements that ended before ${String(beforeMs)} must still be kept`)
  if (beforeMs < state.droppedBeforeMs) return wrong(`what ended before ${beforeMs} was dropped already`)
  return undefined
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
