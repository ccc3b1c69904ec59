// Whether a statement is for exactly this action on exactly this guest as it is now. Each field is compared on its
// own, so that the digest of one action cannot stand beside the words of another.
import type {BoundAction, Statement} from '../model/approval.ts'
import {writeCanonical} from './canonical-json.ts'
import {actionDigest} from './digests.ts'

export interface GatedAction {
  readonly bound: BoundAction
  /** `sha256:` of the guest as it was read immediately before. */
  readonly observed: string
  /** Version of the trust store that counts now. */
  readonly trust: number
}

/** Undefined: it is for this and nothing else. */
export function findBindingProblem(
  statement: Pick<Statement, 'op' | 'target' | 'params' | 'action' | 'observed' | 'trust'>,
  {bound, observed, trust}: GatedAction,
): string | undefined {
  const {target} = bound
  if (statement.op !== bound.op) return `the approval is for ${statement.op}, and this is ${bound.op}`
  if (statement.target.vmid !== target.vmid || statement.target.kind !== target.kind)
    return 'the approval is for another guest'
  if (statement.target.node !== target.node) return 'the approval is for a guest on another node'
  if (statement.target.identity !== target.identity)
    return 'the guest is another one than the approval was signed for, under the same number'
  if (writeCanonical(statement.params) !== writeCanonical(bound.params))
    return 'the approval is for other parameters'
  if (statement.action !== actionDigest(bound)) return 'the approval holds the digest of another action'
  if (statement.observed !== observed) return 'the guest was changed since the approval was signed'
  if (statement.trust !== trust) return 'the signers were changed since the approval was signed'
  return undefined
}
