// When a statement may be used. Skew is granted to its beginning only: an operator's clock may be a little ahead of
// ours, and nobody is hurt if an approval ends on time.
import type {Statement} from '../model/approval.ts'
import {SKEW_MS} from './check-clock.ts'

const MAX_LIFETIME_MS = 24 * 60 * 60_000

/** Undefined: it may be used now. */
export function findTimeProblem(
  {iatMs, expMs, nbfMs = iatMs}: Pick<Statement, 'iatMs' | 'expMs' | 'nbfMs'>,
  nowMs: number,
): string | undefined {
  if (nowMs < iatMs - SKEW_MS) return 'the approval was signed at a time that is still to come'
  if (nowMs < nbfMs - SKEW_MS) return 'the approval is not valid yet'
  if (nowMs > expMs) return 'the approval has expired'
  if (expMs <= iatMs || expMs - iatMs > MAX_LIFETIME_MS)
    return 'the approval is meant to last longer than 24 hours'
  return undefined
}
