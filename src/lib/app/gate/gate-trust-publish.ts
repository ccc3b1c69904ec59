// Puts a version of the trust store in force that has all its signatures. Under the lock of the state directory: first
// the gate's own judgement, then the audit, because what is not in it has not happened.
import {hashTrust} from '../../gate/trust-document.ts'
import {reviewTrust} from '../../gate/trust-load.ts'
import type {ProposalState, TrustHead} from '../../gate/trust-proposal.ts'
import {FelhomError, isFelhomError} from '../../model/felhom-error.ts'
import type {TrustFiles, TrustVersion} from '../../store/trust-files.ts'
import {toLock} from './gate-upkeep.ts'
import type {UpkeepRequest} from '../journal/journal-upkeep.ts'
import {withGateStores} from '../state/open-state.ts'

/** What signatures are collected for. */
export interface Proposed {
  readonly files: TrustFiles
  /** In force now; undefined before version 1. */
  readonly head: TrustHead | undefined
  readonly version: TrustVersion
}

export async function publishVersion(
  {files, head, version}: Proposed,
  {hash, signed}: ProposalState,
  {nowMs, upkeep}: {readonly nowMs: number; readonly upkeep: UpkeepRequest},
): Promise<void> {
  let isBegun = false
  const work = withGateStores(toLock(upkeep), async ({audit}) => {
    isBegun = true
    await requireAcceptable({files, head, version}, nowMs)
    const signers = [...new Set(signed.map(({principal}) => principal))]
    await audit.note({type: 'trust_changed', version: version.version, hash, signers})
    files.writeVersion(version)
    files.dropProposal(version.version)
  })
  await work.catch((error: unknown) => {
    throw isBegun ? error : explainWaiting(error, version.version)
  })
}

/** Of the version in its place behind those that are there now. */
async function requireAcceptable({files, head, version}: Proposed, nowMs: number): Promise<void> {
  files.requireFree(version.version)
  const before = head ? await files.read() : []
  const [first = version] = before
  const genesis = hashTrust(first.bytes)
  const {refusal} = reviewTrust([...before, version], genesis, nowMs, {version: before.length})
  if (refusal) throw new FelhomError('usage', refusal.message, {doubt: 'The trust store is as it was.'})
}

/** Whoever has signed need not do it again. */
function explainWaiting(error: unknown, version: number): unknown {
  if (!isFelhomError(error)) return error
  const {code, message, hint = ''} = error
  return new FelhomError(code, message, {
    cause: error,
    hint: `${hint} Then: felhom gate trust ${version === 1 ? 'init' : 'rotate'}`.trim(),
    doubt: `Version ${version} of the trust store has all its signatures and is kept; it is not in force.`,
  })
}
