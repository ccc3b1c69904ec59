// What shall be different in the next version of the trust store, and the bytes of that version.
import {
  encodeTrust,
  type PinnedSigner,
  type RevokedKey,
  type SignerEntry,
  type ThresholdName,
  type TrustDocument,
} from '../../gate/trust-document.ts'
import {FelhomError} from '../../model/felhom-error.ts'

export interface TrustChanges {
  readonly add?: readonly SignerEntry[]
  /** People, or fingerprints of keys. */
  readonly remove?: readonly string[]
  /** The same, and never again. */
  readonly revoke?: readonly string[]
  readonly thresholds?: Readonly<Partial<Record<ThresholdName, number>>>
  readonly expiresMs?: number
}

const usage = (message: string, hint?: string): FelhomError =>
  new FelhomError('usage', message, {doubt: 'Nothing was written.', ...(hint !== undefined && {hint})})

/** The bytes of the version after `document`. Throws usage where a change means nothing. */
export function draftNextVersion(document: TrustDocument, hash: string, changes: TrustChanges): Buffer {
  const revoked = findSigners(document, changes.revoke ?? [])
  const gone = new Set([...revoked, ...findSigners(document, changes.remove ?? [])])
  const add = changes.add ?? []
  refusePinned(document, gone, add)
  return encodeTrust({
    version: document.version + 1,
    prev: hash,
    expiresMs: changes.expiresMs ?? document.expiresMs,
    thresholds: {...document.thresholds, ...changes.thresholds},
    revoked: joinRevoked(document.revoked, revoked),
    signers: [...document.signers.filter((signer) => !gone.has(signer)), ...add],
  })
}

const joinRevoked = (
  before: readonly RevokedKey[],
  more: readonly PinnedSigner[],
): readonly Pick<RevokedKey, 'keyText'>[] => [...before, ...more]

function findSigners({signers}: TrustDocument, names: readonly string[]): PinnedSigner[] {
  return names.flatMap((name) => {
    const found = signers.filter(({principal, fingerprint}) => name === principal || name === fingerprint)
    if (found.length === 0)
      throw usage(`nobody in the trust store is ${name}`, 'See who is: felhom gate trust show')
    const roles = new Set(found.map(({role}) => role))
    if (roles.size > 1)
      throw usage(
        `${name} holds keys of both roles`,
        `Name the key instead: ${found.map(({role, fingerprint}) => `${fingerprint} (${role})`).join(', ')}`,
      )
    return found
  })
}

function refusePinned(
  {signers, revoked}: TrustDocument,
  gone: ReadonlySet<PinnedSigner>,
  add: readonly SignerEntry[],
): void {
  for (const {keyText, principal} of add) {
    const pinned = signers.find((signer) => signer.keyText === keyText)
    if (pinned && !gone.has(pinned))
      throw usage(`the key of ${principal} is pinned already, as ${pinned.role} key of ${pinned.principal}`)
    if (revoked.some((key) => key.keyText === keyText))
      throw usage(`the key of ${principal} is revoked`, 'Make a new one.')
  }
}
