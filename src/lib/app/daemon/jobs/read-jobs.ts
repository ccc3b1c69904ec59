// Signed jobs as the source carries them, and what can be said of them without asking Proxmox anything. Whoever can
// write to the source can make as many as he likes; what nobody has signed for must cost next to nothing.
import {decodeEnvelope} from '../../../gate/envelope.ts'
import type {NonceState} from '../../../gate/ports.ts'
import {decodeStatement} from '../../../gate/statement.ts'
import type {TrustSnapshot} from '../../../gate/trust-snapshot.ts'
import {verifyApproval, type Evidence} from '../../../gate/verify-approval.ts'
import type {BoundAction, Refusal, Statement} from '../../../model/approval.ts'
import type {CarriedEnvelope} from '../../../source/source.ts'

export interface BroughtJob {
  readonly statement: Statement
  readonly bytes: Uint8Array
}

/** Those for this installation, by nonce: the same may be brought several times, signed and not. */
export function readJobs(
  jobs: readonly CarriedEnvelope[],
  host: string,
  warn: (text: string) => void,
): ReadonlyMap<string, readonly BroughtJob[]> {
  const found = new Map<string, BroughtJob[]>()
  for (const {name, bytes} of jobs) {
    try {
      const statement = decodeStatement(decodeEnvelope(bytes).payload)
      if (statement.host !== host) continue
      found.set(statement.nonce, [...(found.get(statement.nonce) ?? []), {statement, bytes}])
    } catch (error) {
      warn(`The job ${name} is left out: ${(error as Error).message}`)
    }
  }
  return found
}

export interface JobFacts {
  /** Undefined: none that can be believed. */
  readonly trust: TrustSnapshot | undefined
  readonly host: string
  readonly nowMs: number
  readonly nonceState: (nonce: string) => NonceState
}

export interface RefusedJob {
  readonly refusal: Refusal
  readonly evidence?: Evidence
}

/** Whatever does not depend on how the guest is now. Undefined: the gate has to look at the guest. */
export function judgeJob({statement, bytes}: BroughtJob, facts: JobFacts): RefusedJob | undefined {
  const {trust} = facts
  if (!trust || trust.document.expiresMs <= facts.nowMs) return {refusal: NOT_TRUSTED}
  const {op, params, target, observed} = statement
  const bound = {op, params, target} as BoundAction
  const verdict = verifyApproval(bytes, {...facts, trust, bound, observed})
  return 'refusal' in verdict ? verdict : undefined
}

const NOT_TRUSTED: Refusal = {
  code: 'trust_error',
  message: 'nobody is known who could have signed it: felhom gate trust verify',
}
