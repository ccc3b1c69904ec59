// When a read is tried again: only after errors that another try may cure, with growing and jittered pauses,
// and never beyond a number of tries and a total time. Mutations do not come here.
import {isFelhomError} from '../model/felhom-error.ts'
import type {ErrorCode} from '../model/error-codes.ts'

export interface RetryPolicy {
  readonly tries: number
  readonly baseDelayMs: number
  readonly maxDelayMs: number
  /** Over all tries and pauses. */
  readonly totalMs: number
}

export interface RetryClock {
  /** Milliseconds of a clock that does not jump. */
  now(): number
  sleep(ms: number): Promise<void>
  /** In [0, 1). */
  random(): number
}

export const systemRetryClock: RetryClock = {
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: () => Math.random(),
}

const CURABLE: readonly ErrorCode[] = [
  'unreachable',
  'connection_lost',
  'timeout',
  'bad_answer',
  'node_unreachable',
  'gateway_timeout',
  'gateway_failed',
]

/**
 * Calls `attempt` with the time that is left until it succeeds, fails for good, or the policy is used up.
 * The first `freeTries` repetitions come without a pause: they go to another endpoint.
 */
export async function retryRead<T>(
  policy: RetryPolicy,
  clock: RetryClock,
  freeTries: number,
  attempt: (remainingMs: number) => Promise<T>,
): Promise<T> {
  const startMs = clock.now()
  const tries = Math.max(policy.tries, freeTries + 1)
  for (let tried = 1; ; tried++) {
    try {
      return await attempt(policy.totalMs - (clock.now() - startMs))
    } catch (error) {
      if (tried >= tries || !isFelhomError(error, ...CURABLE)) throw error
      const delayMs = tried <= freeTries ? 0 : backOff(policy, tried - freeTries, clock.random())
      if (clock.now() - startMs + delayMs >= policy.totalMs) throw error
      if (delayMs > 0) await clock.sleep(delayMs)
    }
  }
}

/** Half of the pause is fixed, half is left to chance, so that many clients do not come back together. */
function backOff(policy: RetryPolicy, round: number, random: number): number {
  const full = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (round - 1))
  return full / 2 + (full / 2) * random
}
