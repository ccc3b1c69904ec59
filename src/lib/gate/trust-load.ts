// The trust store, believed from the pinned hash of its first version on: every version is signed as the one before
// it demands. What does not hold from end to end is not believed in part.
import {hashTrust, type TrustDocument} from './trust-document.ts'
import type {TrustFile} from './ports.ts'
import {decodeTrust} from './trust-decode.ts'
import {refuseTrust, TrustProblem, type TrustRefusal} from './trust-problem.ts'
import {weighRotation, type RotationState} from './trust-rotation.ts'
import {decodeTrustSignatures, findTrustSigners, type TrustSigners} from './trust-signatures.ts'
import {checkWindow, createTrustSnapshot, type TrustSnapshot} from './trust-snapshot.ts'

/** The highest version that was ever believed here, 0 for none; and its hash, where that was kept. */
export interface TrustMark {
  readonly version: number
  readonly hash?: string
}

export type TrustReading = {readonly trust: TrustSnapshot} | {readonly refusal: TrustRefusal}

export function loadTrust(
  files: readonly TrustFile[],
  genesis: string,
  nowMs: number,
  mark: TrustMark,
): TrustReading {
  const read = loadTrustChain(files, genesis, nowMs, mark)
  if ('refusal' in read) return read
  const {trust} = read
  if (nowMs < trust.document.expiresMs) return read
  const message = `version ${trust.version} of the trust store has expired: the recovery role must sign a new one`
  return {refusal: refuseTrust('expired', message)}
}

/** The same, of a store that may have expired: what must be renewed must be readable. */
export function loadTrustChain(
  files: readonly TrustFile[],
  genesis: string,
  nowMs: number,
  mark: TrustMark,
): TrustReading {
  try {
    return {trust: walkChain(files, genesis, nowMs, mark)}
  } catch (error) {
    if (error instanceof TrustProblem) return {refusal: refuseTrust(error.kind, error.message)}
    throw error
  }
}

interface Link {
  readonly document: TrustDocument
  readonly hash: string
}

function walkChain(
  files: readonly TrustFile[],
  genesis: string,
  nowMs: number,
  mark: TrustMark,
): TrustSnapshot {
  let last: Link | undefined
  for (const [index, file] of files.entries()) {
    const version = index + 1
    last = inVersion(version, () => takeVersion(file, version, last, {genesis, nowMs, mark}))
  }
  if (!last) throw new TrustProblem('missing', 'the trust store has no version 1')
  if (last.document.version < mark.version) {
    const message = `the trust store ends with version ${last.document.version}, and version ${mark.version} was in force here already`
    throw new TrustProblem('rolled_back', message)
  }
  return createTrustSnapshot(last.document, last.hash)
}

/** Whatever is wrong is told with the version that it is wrong in. */
function inVersion<T>(version: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof TrustProblem)) throw error
    throw new TrustProblem(error.kind, `version ${version} of the trust store: ${error.message}`)
  }
}

interface Circumstances {
  readonly genesis: string
  readonly nowMs: number
  readonly mark: TrustMark
}

function takeVersion(file: TrustFile, version: number, last: Link | undefined, given: Circumstances): Link {
  const hash = hashTrust(file.bytes)
  if (!last && hash !== given.genesis)
    throw new TrustProblem('genesis', `its hash is ${hash}, not the one that the settings pin`)
  if (version === given.mark.version && given.mark.hash !== undefined && hash !== given.mark.hash)
    throw new TrustProblem('rolled_back', 'another version of this number was in force here already')
  const document = decodeTrust(file.bytes)
  if (file.version !== version || document.version !== version)
    throw new TrustProblem('chain', `it calls itself version ${document.version}`)
  if (document.prev !== last?.hash)
    throw new TrustProblem('chain', 'it does not follow the version before it')
  const signed = findTrustSigners(file.bytes, decodeTrustSignatures(file.signatures), {
    before: last?.document.signers ?? [],
    now: document.signers,
  })
  if (last)
    checkRotation(
      last.document,
      document,
      version > given.mark.version ? signedInTime(signed, given) : signed,
    )
  else checkGenesis(document, signed)
  return {document, hash}
}

/**
 * A signature tells no time. A version that is new here must be signed by keys that are valid now; one that was in
 * force before is not judged again; and where nothing was in force yet, the pinned hash is all there is to go by.
 */
function signedInTime(signed: TrustSigners, {nowMs, mark}: Circumstances): TrustSigners {
  if (mark.version === 0) return signed
  const isValid = (signer: TrustSigners['now'][number]): boolean => 'signer' in checkWindow(signer, nowMs)
  return {before: signed.before.filter(isValid), now: signed.now.filter(isValid)}
}

/** Nobody vouches for the first version but those in it, so all of them must. */
function checkGenesis({signers}: TrustDocument, {now}: TrustSigners): void {
  const silent = signers.find((signer) => !now.includes(signer))
  if (silent)
    throw new TrustProblem('unsigned', `${silent.principal} (${silent.fingerprint}) has not signed it`)
}

function checkRotation(old: TrustDocument, next: TrustDocument, signed: TrustSigners): void {
  const state = weighRotation(old, next, signed)
  if (state.by) return
  throw new TrustProblem(...explainRotation(state))
}

function explainRotation({
  unproven,
  beyondOperational,
  tallies,
}: RotationState): ConstructorParameters<typeof TrustProblem> {
  const [missing] = unproven
  if (missing)
    return ['unsigned', `the new key of ${missing.principal} (${missing.fingerprint}) has not signed it`]
  const {operational} = tallies
  const hasOperational = operational.before.signed >= operational.before.needed
  if (beyondOperational !== undefined && hasOperational)
    return ['not_permitted', `the operational role may not sign for it: ${beyondOperational}`]
  const show = ({before, now}: (typeof tallies)['recovery']): string =>
    `${before.signed} of ${before.needed} before and ${now.signed} of ${now.needed} now`
  return [
    'unsigned',
    `too few people have signed it (recovery: ${show(tallies.recovery)}; operational: ${show(operational)})`,
  ]
}
