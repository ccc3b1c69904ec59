// One version of the trust store: who may sign, as what, until when, and how many of them it takes. It has exactly
// one text, whose hash the next version names.
import {createHash} from 'node:crypto'
import type {CanonicalValue, Role, SignedOperation} from '../model/approval.ts'
import {writeCanonical} from './canonical-json.ts'
import type {SshKey} from './ssh-key.ts'
import type {KeyDemands} from './sshsig.ts'
import {writeTimestamp} from './timestamp.ts'

export const ROLES = ['operational', 'recovery'] as const satisfies readonly Role[]

export interface PinnedSigner {
  /** The person: two keys of one principal count once. */
  readonly principal: string
  readonly role: Role
  /** As in a .pub file, without its comment. */
  readonly keyText: string
  readonly keyBlob: Buffer
  /** Read once, so that verifying needs no parsing. */
  readonly key: SshKey
  /** SHA256:… as ssh-keygen prints it. */
  readonly fingerprint: string
  readonly notBeforeMs: number | undefined
  readonly notAfterMs: number | undefined
  readonly requireUv: boolean
  readonly application: string | undefined
  /** The same, as the verifier asks for it. */
  readonly demands: KeyDemands
}

export interface RevokedKey {
  readonly keyText: string
  readonly keyBlob: Buffer
  readonly fingerprint: string
}

/** `trust.rotate_recovery` has the threshold `recovery`, and no other. */
export type ThresholdName = 'default' | 'recovery' | Exclude<SignedOperation, 'trust.rotate_recovery'>

export interface TrustDocument {
  readonly version: number
  /** `sha256:` of the version before; undefined for the first. */
  readonly prev: string | undefined
  readonly expiresMs: number
  readonly thresholds: Readonly<Partial<Record<ThresholdName, number>>> & {
    readonly default: number
    readonly recovery: number
  }
  readonly revoked: readonly RevokedKey[]
  readonly signers: readonly PinnedSigner[]
}

/** What is written of a signer: keys as text. */
export type SignerEntry = Pick<
  PinnedSigner,
  'principal' | 'role' | 'keyText' | 'notBeforeMs' | 'notAfterMs' | 'requireUv' | 'application'
>

export interface TrustDraft extends Pick<TrustDocument, 'version' | 'prev' | 'expiresMs' | 'thresholds'> {
  readonly revoked: readonly Pick<RevokedKey, 'keyText'>[]
  readonly signers: readonly SignerEntry[]
}

/** The bytes that are signed and hashed. Whether they may be believed is for decodeTrust and the chain to say. */
export function encodeTrust(draft: TrustDraft): Buffer {
  const value: CanonicalValue = {
    version: draft.version,
    prev: draft.prev ?? null,
    expires: writeTimestamp(draft.expiresMs),
    thresholds: draft.thresholds as Record<string, number>,
    revoked: draft.revoked.map(({keyText}) => keyText),
    signers: draft.signers.map(encodeSigner),
  }
  return Buffer.from(writeCanonical(value), 'utf8')
}

export const encodeSigner = (signer: SignerEntry): Record<string, CanonicalValue> => ({
  principal: signer.principal,
  key: signer.keyText,
  role: signer.role,
  not_before: signer.notBeforeMs === undefined ? null : writeTimestamp(signer.notBeforeMs),
  not_after: signer.notAfterMs === undefined ? null : writeTimestamp(signer.notAfterMs),
  require_uv: signer.requireUv,
  application: signer.application ?? null,
})

export const hashTrust = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

export const countPeople = (signers: Iterable<PinnedSigner>, role: Role): number =>
  new Set([...signers].filter((signer) => signer.role === role).map(({principal}) => principal)).size

/** How many people of `role` it takes for `op`. */
export function findThreshold(
  {thresholds}: Pick<TrustDocument, 'thresholds'>,
  op: SignedOperation,
  role: Role,
): number {
  if (role === 'recovery' || op === 'trust.rotate_recovery') return thresholds.recovery
  return thresholds[op] ?? thresholds.default
}
