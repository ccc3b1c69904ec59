// A trust store that was believed, as the pipeline asks it: who is behind a key, and how many people it takes.
import type {Role, SignedOperation} from '../model/approval.ts'
import {countPeople, findThreshold, type PinnedSigner, type TrustDocument} from './trust-document.ts'

export type SignerSearch =
  | {readonly signer: PinnedSigner}
  | {
      readonly reason: 'unknown' | 'revoked' | 'not_yet_valid' | 'no_longer_valid'
      /** One sentence. */
      readonly message: string
    }

export interface TrustSnapshot {
  readonly version: number
  /** `sha256:` of the current version's bytes. */
  readonly hash: string
  readonly document: TrustDocument
  /** By the exact bytes of the key. */
  findSigner(keyBlob: Uint8Array, nowMs: number): SignerSearch
  /** People that `op` takes; of the role that it is left to unless another is named. */
  thresholdFor(op: SignedOperation, role?: Role): number
  /** Pinned people of a role, by keys that need not be valid now. */
  countPeople(role: Role): number
}

export function createTrustSnapshot(document: TrustDocument, hash: string): TrustSnapshot {
  const keyOf = (blob: Uint8Array): string => Buffer.from(blob).toString('latin1')
  const signers = new Map(document.signers.map((signer) => [keyOf(signer.keyBlob), signer]))
  const revoked = new Map(document.revoked.map((key) => [keyOf(key.keyBlob), key]))
  return {
    version: document.version,
    hash,
    document,
    findSigner: (keyBlob, nowMs) => {
      const taken = revoked.get(keyOf(keyBlob))
      if (taken) return {reason: 'revoked', message: `the key ${taken.fingerprint} is revoked`}
      const signer = signers.get(keyOf(keyBlob))
      if (!signer) return {reason: 'unknown', message: 'a signature is by a key that is not pinned'}
      return checkWindow(signer, nowMs)
    },
    thresholdFor: (op, role = 'operational') => findThreshold(document, op, role),
    countPeople: (role) => countPeople(document.signers, role),
  }
}

/** The last second of a window is not in it. */
function checkWindow(signer: PinnedSigner, nowMs: number): SignerSearch {
  const {principal, notBeforeMs = -Infinity} = signer
  if (isInWindow(signer, nowMs)) return {signer}
  return nowMs < notBeforeMs
    ? {reason: 'not_yet_valid', message: `the key of ${principal} is not valid yet`}
    : {reason: 'no_longer_valid', message: `the key of ${principal} is no longer valid`}
}

export const isInWindow = (
  {notBeforeMs = -Infinity, notAfterMs = Infinity}: PinnedSigner,
  nowMs: number,
): boolean => nowMs >= notBeforeMs && nowMs < notAfterMs
