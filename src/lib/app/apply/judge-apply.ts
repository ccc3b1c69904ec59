// How an apply ended as a whole: the worst of what happened names it.
import type {ErrorCode} from '../../model/error-codes.ts'
import type {ActionResult} from '../../model/run-event.ts'
import {countApply} from '../../report/apply-outcomes.ts'

export interface Circumstances {
  /** The journal holds an operation without an end, of this run or of an earlier one. */
  readonly isOpen: boolean
  /** A node is away, and guests could not be planned because of it. */
  readonly isBlind: boolean
}

export function judgeApply(
  results: readonly ActionResult[],
  {isOpen, isBlind}: Circumstances,
): ErrorCode | undefined {
  const {failed, inFlight, stale, frozen, blocked, unsigned, skipped, notStarted} = countApply(results)
  if (notStarted > 0) return 'interrupted'
  if (isBlind) return 'node_unreachable'
  if (isOpen || inFlight + frozen > 0) return 'needs_recover'
  if (failed + stale + blocked + skipped > 0) return 'apply_failed'
  return unsigned > 0 ? 'signature_pending' : undefined
}
