// A version of the trust store for which signatures are still being collected: who has signed, and what is wanting.
import {weighRotation, type RotationState, type Tally} from './trust-rotation.ts'
import {decodeTrust} from './trust-decode.ts'
import {hashTrust, type PinnedSigner, type TrustDocument} from './trust-document.ts'
import {refuseTrust, TrustProblem, type TrustRefusal} from './trust-problem.ts'
import {decodeTrustSignatures, findTrustSigners, listSigners, type TrustSigners} from './trust-signatures.ts'
import {isInWindow} from './trust-snapshot.ts'

export interface ProposalState {
  readonly document: TrustDocument
  readonly hash: string
  /** Each key that signed, once. */
  readonly signed: readonly PinnedSigner[]
  /** One phrase each; none: it may come into force. */
  readonly wanting: readonly string[]
}

export interface TrustHead {
  readonly document: TrustDocument
  readonly hash: string
}

/** `head` is the version in force; undefined for the first one. */
export function judgeProposal(
  head: TrustHead | undefined,
  bytes: Uint8Array,
  signatures: Uint8Array,
  nowMs: number,
): ProposalState | {readonly refusal: TrustRefusal} {
  try {
    return weigh(head, bytes, decodeTrustSignatures(signatures), nowMs)
  } catch (error) {
    if (error instanceof TrustProblem) return {refusal: refuseTrust(error.kind, error.message)}
    throw error
  }
}

function weigh(
  head: TrustHead | undefined,
  bytes: Uint8Array,
  armoured: readonly string[],
  nowMs: number,
): ProposalState {
  const document = decodeTrust(bytes)
  const {version: last = 0} = head?.document ?? {}
  if (document.version !== last + 1 || document.prev !== head?.hash)
    throw new TrustProblem('chain', `it does not follow version ${last}, which is in force`)
  if (document.expiresMs <= nowMs) throw new TrustProblem('expired', 'it has expired')
  const signers = {before: head?.document.signers ?? [], now: document.signers}
  const found = findTrustSigners(bytes, armoured, signers)
  const wanting = head ? findWanting(head.document, document, found, nowMs) : findSilent(document, found)
  return {document, hash: hashTrust(bytes), signed: listSigners(found), wanting}
}

const findSilent = ({signers}: TrustDocument, {now}: TrustSigners): string[] =>
  signers.filter((signer) => !now.includes(signer)).map((signer) => `a signature with ${name(signer)}`)

function findWanting(old: TrustDocument, next: TrustDocument, signed: TrustSigners, nowMs: number): string[] {
  const state = weighRotation(old, next, signed, (signer) => isInWindow(signer, nowMs))
  if (state.by) return []
  return [...state.unproven.map((signer) => `a signature with ${name(signer)}`), ...describeTallies(state)]
}

function describeTallies({beyondOperational, tallies}: RotationState): string[] {
  const {operational, recovery} = tallies
  const needs = [`signatures of the recovery role (${showTally(recovery)})`]
  if (beyondOperational === undefined) needs.push(`of the operational role (${showTally(operational)})`)
  const isFull = [recovery, ...(beyondOperational === undefined ? [operational] : [])].some(
    ({before, now}) => before.signed >= before.needed && now.signed >= now.needed,
  )
  if (isFull) return []
  const why = beyondOperational === undefined ? '' : `; ${beyondOperational}`
  return [`${needs.join(', or ')}${why}`]
}

/** Mostly the same people before and after. */
function showTally({before, now}: {readonly before: Tally; readonly now: Tally}): string {
  const show = ({signed, needed}: Tally): string => `${signed} of ${needed}`
  return show(before) === show(now) ? show(before) : `${show(before)} before, ${show(now)} after the change`
}

const name = ({principal, fingerprint}: PinnedSigner): string => `the key of ${principal} (${fingerprint})`
