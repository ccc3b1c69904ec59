// Detached signatures over one version of the trust store. Each must be sound and by a key of the version before or
// of this one: a file that holds anything else is not believed at all.
import type {CanonicalValue} from '../model/approval.ts'
import {describeBadSignature} from './bad-signature.ts'
import {isList, readFields} from './closed-object.ts'
import {TRUST_NAMESPACE} from './namespaces.ts'
import {isSignedBy, readSshSignature, type SshSignature} from './sshsig.ts'
import {Malformed} from './ssh-wire.ts'
import type {PinnedSigner} from './trust-document.ts'
import {TrustProblem} from './trust-problem.ts'

const MAX_SIGNATURES = 64
export const MAX_SIGNATURES_BYTES = 512 * 1024

export function encodeTrustSignatures(armoured: readonly string[]): Buffer {
  return Buffer.from(`${JSON.stringify({v: 1, signatures: armoured})}\n`, 'utf8')
}

/** Throws TrustProblem. */
export function decodeTrustSignatures(bytes: Uint8Array): readonly string[] {
  const refuse = (message: string): TrustProblem => new TrustProblem('malformed', message)
  if (bytes.length > MAX_SIGNATURES_BYTES) throw refuse('the signatures are too large')
  const list = readSignatureList(bytes)
  if (list.length > MAX_SIGNATURES) throw refuse('there are too many signatures')
  // Writing it again must give the same bytes: nothing else is in there, and nothing twice.
  if (!encodeTrustSignatures(list).equals(bytes))
    throw refuse('the signatures are not written in the one form')
  return list
}

function readSignatureList(bytes: Uint8Array): readonly string[] {
  try {
    const text = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes)
    const {signatures} = readFields(JSON.parse(text) as CanonicalValue, ['v', 'signatures'])
    if (isList(signatures) && signatures.every((one) => typeof one === 'string')) return signatures
  } catch {
    // Said below: whichever it was, nothing in it counts.
  }
  throw new TrustProblem('malformed', 'the signatures are no list of texts')
}

export interface TrustSigners {
  /** Signers of the version before that signed this one. */
  readonly before: readonly PinnedSigner[]
  /** Signers of this version that signed it. */
  readonly now: readonly PinnedSigner[]
}

/** Each key once. */
export const listSigners = ({before, now}: TrustSigners): PinnedSigner[] => [
  ...new Map([...before, ...now].map((signer) => [signer.keyText, signer])).values(),
]

/** Who of these signed `bytes`. Throws TrustProblem. */
export function findTrustSigners(
  bytes: Uint8Array,
  armoured: readonly string[],
  pinned: TrustSigners,
): TrustSigners {
  const signatures = armoured.map((text) => readTrustSignature(text))
  const blobs = new Set(signatures.map(({keyBlob}) => keyBlob.toString('base64')))
  if (blobs.size < signatures.length) throw new TrustProblem('malformed', 'a key has signed twice')
  const found = signatures.map((signature) => findSigners(bytes, signature, pinned))
  return {before: found.flatMap(({before}) => before), now: found.flatMap(({now}) => now)}
}

function findSigners(bytes: Uint8Array, signature: SshSignature, pinned: TrustSigners): TrustSigners {
  const byKey = ({keyBlob}: PinnedSigner): boolean => keyBlob.equals(signature.keyBlob)
  const [before, now] = [pinned.before.filter(byKey), pinned.now.filter(byKey)]
  const all = [...before, ...now]
  if (all.length === 0) throw new TrustProblem('bad_signature', 'a signature is by a key that is not pinned')
  const bad = all.find(({key, demands}) => !isSignedBy(key, signature, bytes, demands))
  if (bad) throw new TrustProblem('bad_signature', describeBadSignature(bad))
  return {before, now}
}

/** Throws TrustProblem. */
export function readTrustSignature(armoured: string): SshSignature {
  const signature = readArmour(armoured)
  if (signature.namespace !== TRUST_NAMESPACE)
    throw new TrustProblem(
      'bad_signature',
      `a signature is for ${signature.namespace}, not ${TRUST_NAMESPACE}`,
    )
  return signature
}

function readArmour(armoured: string): SshSignature {
  try {
    return readSshSignature(armoured)
  } catch (error) {
    if (error instanceof Malformed) throw new TrustProblem('malformed', `a signature: ${error.message}`)
    throw error
  }
}
