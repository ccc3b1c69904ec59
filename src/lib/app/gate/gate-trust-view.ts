// The trust store for people and for --json: keys by their fingerprints, times as text.
import {writeTimestamp} from '../../gate/timestamp.ts'
import {countPeople, type PinnedSigner} from '../../gate/trust-document.ts'
import type {ProposalState} from '../../gate/trust-proposal.ts'
import {isInWindow, type TrustSnapshot} from '../../gate/trust-snapshot.ts'
import type {ProposalView, SignedView, SignerView, TrustView} from '../../report/trust-text.ts'

export type {ProposalView, SignerView, TrustView}

export function describeTrust({document, hash}: TrustSnapshot, nowMs: number): TrustView {
  const {version, expiresMs, thresholds, signers, revoked} = document
  return {
    version,
    hash,
    expires: writeTimestamp(expiresMs),
    isExpired: nowMs >= expiresMs,
    thresholds: {...thresholds},
    people: {
      operational: countPeople(signers, 'operational'),
      recovery: countPeople(signers, 'recovery'),
    },
    signers: signers.map((signer) => describeSigner(signer, nowMs)),
    revoked: revoked.map(({fingerprint}) => fingerprint),
  }
}

function describeSigner(signer: PinnedSigner, nowMs: number): SignerView {
  const {principal, role, fingerprint, key, notBeforeMs, notAfterMs, requireUv, application} = signer
  return {
    principal,
    role,
    type: key.algorithm,
    fingerprint,
    notBefore: notBeforeMs === undefined ? null : writeTimestamp(notBeforeMs),
    notAfter: notAfterMs === undefined ? null : writeTimestamp(notAfterMs),
    isValidNow: isInWindow(signer, nowMs),
    requireUv,
    application: application ?? null,
  }
}

/** What is known of a proposal from its bytes and signatures alone. */
export function describeSigned({document, hash, signed, wanting}: ProposalState): SignedView {
  return {version: document.version, hash, signed: signed.map(nameSigner), wanting}
}

export const nameSigner = ({principal, role, fingerprint}: PinnedSigner): SignedView['signed'][number] => ({
  principal,
  role,
  fingerprint,
})
