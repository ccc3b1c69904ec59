// What recover makes of an operation, in words: what it would do, and what it did.
import type {Operation} from '../model/operation.ts'
import {showExactTime, showWait} from './journal-times.ts'

/** Times are epoch milliseconds. */
export type RecoveryDecision =
  | {readonly verdict: 'wait' | 'stay'; readonly reason: string; readonly lookAgainMs: number}
  | {
      readonly verdict: 'quarantine' | 'succeeded' | 'satisfied' | 'failed' | 'superseded'
      readonly reason: string
    }

export interface DecidedOperation {
  readonly operation: Operation
  readonly decision: RecoveryDecision
}

/** `settle it as satisfied`, as recover would. */
export function describeIntention({verdict}: RecoveryDecision, {state}: Operation): string {
  switch (verdict) {
    case 'wait':
      return 'keep waiting'
    case 'stay':
      return 'leave it open'
    case 'quarantine':
      return state === 'quarantined' ? 'leave it in quarantine' : 'quarantine it'
    default:
      return `settle it as ${verdict}`
  }
}

/** What it has become. */
export function describeOutcome({verdict}: RecoveryDecision, {state}: Operation): string {
  switch (verdict) {
    case 'wait':
    case 'stay':
      return state === 'quarantined' ? 'quarantined' : 'still open'
    case 'quarantine':
      return 'quarantined'
    default:
      return verdict
  }
}

export const isSettled = ({verdict}: RecoveryDecision): boolean =>
  verdict !== 'wait' && verdict !== 'stay' && verdict !== 'quarantine'

/** `in 40 s`, or at once when the time has come already. */
export const showLookAgain = (lookAgainMs: number, nowMs: number): string =>
  lookAgainMs <= nowMs ? 'now' : `in ${showWait(lookAgainMs - nowMs)}`

export interface DecisionJson {
  verdict: RecoveryDecision['verdict']
  reason: string
  lookAgain: string | null
}

export function encodeDecision(decision: RecoveryDecision): DecisionJson {
  const {verdict, reason} = decision
  return {verdict, reason, lookAgain: 'lookAgainMs' in decision ? showExactTime(decision.lookAgainMs) : null}
}
