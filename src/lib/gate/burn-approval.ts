// Step 14: what an approval leaves behind for good. Its nonce is burned on disk before anything is sent, so that
// whatever happens from then on, it allows nothing a second time.
import type {Refusal} from '../model/approval.ts'
import {isFelhomError} from '../model/felhom-error.ts'
import {advanceMark} from './check-clock.ts'
import type {SignedDecision, Signing} from './decide-signed.ts'
import type {Approved} from './verify-approval.ts'

/** Undefined: it is burned, by us and for this. */
export async function burnApproval(
  {statement: {nonce, expMs}, digest}: Approved,
  {nonces}: Pick<Signing, 'nonces'>,
): Promise<Refusal | undefined> {
  try {
    await nonces.burn(nonce, {statement: digest, expMs})
    return undefined
  } catch (error) {
    if (isFelhomError(error, 'nonce_used')) return {code: 'replay', message: error.message}
    return {code: 'store_error', message: `the approval could not be marked as used: ${describe(error)}`}
  }
}

/** The marks follow what was proved: the trust store by its chain, the time by a signature that holds. */
export async function moveMarks(
  {seen}: Pick<SignedDecision, 'seen'>,
  {nonces, clock}: Pick<Signing, 'nonces' | 'clock'>,
): Promise<Refusal | undefined> {
  const clockMs = seen.isAuthentic === true ? advanceMark(clock.now(), nonces.clockMarkMs) : undefined
  const trust = seen.trust !== undefined && seen.trust > nonces.trustMark ? seen.trust : undefined
  if (clockMs === undefined && trust === undefined) return undefined
  try {
    await nonces.advance({
      ...(clockMs !== undefined && {clockMs}),
      ...(trust !== undefined && {trust, ...(seen.trustHash !== undefined && {trustHash: seen.trustHash})}),
    })
    return undefined
  } catch (error) {
    return {code: 'store_error', message: `what was seen could not be kept: ${describe(error)}`}
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error))
