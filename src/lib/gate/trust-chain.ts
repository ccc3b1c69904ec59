// The versions of the trust store, one after the other: each must be signed as the one before it demands, and the
// first must be the one whose hash is pinned.
import type {Role} from '../model/approval.ts'
import type {TrustFile} from './ports.ts'
import {decodeTrust} from './trust-decode.ts'
import {hashTrust, type PinnedSigner, type TrustDocument} from './trust-document.ts'
import {TrustProblem} from './trust-problem.ts'
import {weighRotation, type RotationState} from './trust-rotation.ts'
import {decodeTrustSignatures, findTrustSigners, listSigners, type TrustSigners} from './trust-signatures.ts'
import {isInWindow} from './trust-snapshot.ts'

/** The highest version that was ever believed here, 0 for none; and its hash, where that was kept. */
export interface TrustMark {
  readonly version: number
  readonly hash?: string
}

export interface TrustCircumstances {
  /** `sha256:` of version 1. */
  readonly genesis: string
  readonly nowMs: number
  readonly mark: TrustMark
}

export interface TrustLink {
  readonly document: TrustDocument
  readonly hash: string
  /** Whose threshold let it follow; of the first, everybody's. */
  readonly by: Role | 'everybody'
  readonly signed: readonly PinnedSigner[]
}

/** As far as it holds, and why no further. */
export function walkTrustChain(
  files: readonly TrustFile[],
  given: TrustCircumstances,
): {readonly links: readonly TrustLink[]; readonly problem?: TrustProblem} {
  const links: TrustLink[] = []
  try {
    for (const [index, file] of files.entries()) links.push(takeVersion(file, index + 1, links.at(-1), given))
    checkEnd(links.length, given.mark.version)
    return {links}
  } catch (error) {
    if (!(error instanceof TrustProblem)) throw error
    return {links, problem: links.length < files.length ? inVersion(links.length + 1, error) : error}
  }
}

function checkEnd(last: number, mark: number): void {
  if (last === 0) throw new TrustProblem('missing', 'the trust store has no version 1')
  if (last >= mark) return
  const message = `the trust store ends with version ${last}, and version ${mark} was in force here already`
  throw new TrustProblem('rolled_back', message)
}

const inVersion = (version: number, {kind, message}: TrustProblem): TrustProblem =>
  new TrustProblem(kind, `version ${version} of the trust store: ${message}`)

function takeVersion(
  file: TrustFile,
  version: number,
  last: TrustLink | undefined,
  given: TrustCircumstances,
): TrustLink {
  const hash = hashTrust(file.bytes)
  checkHash(hash, version, given)
  const document = decodeTrust(file.bytes)
  if (file.version !== version || document.version !== version)
    throw new TrustProblem('chain', `it calls itself version ${document.version}`)
  if (document.prev !== last?.hash)
    throw new TrustProblem('chain', 'it does not follow the version before it')
  const signed = findTrustSigners(file.bytes, decodeTrustSignatures(file.signatures), {
    before: last?.document.signers ?? [],
    now: document.signers,
  })
  const by = last ? checkRotation(last.document, document, signed, given) : checkGenesis(document, signed)
  return {document, hash, by, signed: listSigners(signed)}
}

function checkHash(hash: string, version: number, {genesis, mark}: TrustCircumstances): void {
  if (version === 1 && hash !== genesis)
    throw new TrustProblem('genesis', `its hash is ${hash}, not the one that the settings pin`)
  // A key that was taken out could otherwise sign another history, up to the same number.
  if (version === mark.version && mark.hash !== undefined && hash !== mark.hash)
    throw new TrustProblem('rolled_back', 'another version of this number was in force here already')
}

/** Nobody vouches for the first version but those in it, so all of them must. */
function checkGenesis({signers}: TrustDocument, {now}: TrustSigners): 'everybody' {
  const silent = signers.find((signer) => !now.includes(signer))
  if (!silent) return 'everybody'
  throw new TrustProblem('unsigned', `${silent.principal} (${silent.fingerprint}) has not signed it`)
}

/**
 * A signature tells no time. A version that is new here must be signed by keys that are valid now; one that was in
 * force before is not judged again; and where nothing was in force yet, the pinned hash is all there is to go by.
 */
function checkRotation(
  old: TrustDocument,
  next: TrustDocument,
  signed: TrustSigners,
  {nowMs, mark}: TrustCircumstances,
): Role {
  const isNew = mark.version > 0 && next.version > mark.version
  const state = weighRotation(old, next, signed, (signer) => !isNew || isInWindow(signer, nowMs))
  if (state.by) return state.by
  throw explainRotation(state)
}

function explainRotation({unproven, beyondOperational, tallies}: RotationState): TrustProblem {
  const [missing] = unproven
  if (missing) {
    const message = `the new key of ${missing.principal} (${missing.fingerprint}) has not signed it`
    return new TrustProblem('unsigned', message)
  }
  const {operational, recovery} = tallies
  if (beyondOperational !== undefined && operational.before.signed >= operational.before.needed)
    return new TrustProblem('not_permitted', `the operational role may not sign for it: ${beyondOperational}`)
  const show = ({before, now}: typeof recovery): string =>
    `${before.signed} of ${before.needed} before and ${now.signed} of ${now.needed} after it`
  const counts = `recovery: ${show(recovery)}; operational: ${show(operational)}`
  return new TrustProblem('unsigned', `too few people have signed it (${counts})`)
}
