// Trust stores for tests: people with keys of every kind, versions that follow each other, signed by whom one likes.
import {TRUST_NAMESPACE} from '../../src/lib/gate/namespaces.ts'
import type {TrustFile} from '../../src/lib/gate/ports.ts'
import {encodeTrust, hashTrust, type SignerEntry, type TrustDraft} from '../../src/lib/gate/trust-document.ts'
import {encodeTrustSignatures} from '../../src/lib/gate/trust-signatures.ts'
import type {Role} from '../../src/lib/model/approval.ts'
import {forgeKey, type ForgedKey, type KeyKind} from './forge-keys.ts'
import {forgeSshsig, type SigningChoice} from './sshsig-forge.ts'

export const NOW_MS = Date.parse('2026-06-01T12:00:00Z')
export const DAY_MS = 86_400_000

/** A key and what the trust store says of it. */
export interface TrustPerson {
  readonly key: ForgedKey
  readonly entry: SignerEntry
}

export interface PersonChoice extends Partial<Omit<SignerEntry, 'principal' | 'role'>> {
  readonly kind?: KeyKind
  /** Another key of the same person. */
  readonly seed?: string
}

export function person(principal: string, role: Role, choice: PersonChoice = {}): TrustPerson {
  const {kind = 'ed25519', seed = `${principal} ${role}`, ...entry} = choice
  const key = forgeKey(kind, seed)
  return {
    key,
    entry: {
      principal,
      role,
      keyText: key.line,
      notBeforeMs: undefined,
      notAfterMs: undefined,
      requireUv: false,
      application: undefined,
      ...entry,
    },
  }
}

export const operational = (name: string, choice: PersonChoice = {}): TrustPerson =>
  person(name, 'operational', choice)
export const recovery = (name: string, choice: PersonChoice = {}): TrustPerson =>
  person(name, 'recovery', choice)

export type DraftChoice = Partial<Omit<TrustDraft, 'signers' | 'revoked'>> & {
  readonly revoked?: readonly TrustPerson[]
}

/** The version after `last`, or the first one; everything but the people as before. */
export function draftVersion(
  people: readonly TrustPerson[],
  choice: DraftChoice = {},
  last?: TrustFile,
): Buffer {
  const {revoked = [], ...rest} = choice
  return encodeTrust({
    version: (last?.version ?? 0) + 1,
    prev: last && hashTrust(last.bytes),
    expiresMs: NOW_MS + 365 * DAY_MS,
    thresholds: {default: 1, recovery: 1},
    revoked: revoked.map(({entry}) => ({keyText: entry.keyText})),
    signers: people.map(({entry}) => entry),
    ...rest,
  })
}

export const signTrust = (bytes: Uint8Array, {key}: TrustPerson, choice: SigningChoice = {}): string =>
  forgeSshsig(key, bytes, {namespace: TRUST_NAMESPACE, ...choice})

export function sealVersion(bytes: Buffer, signers: readonly TrustPerson[], version = 1): TrustFile {
  return {version, bytes, signatures: encodeTrustSignatures(signers.map((one) => signTrust(bytes, one)))}
}

/** Version 1, signed by everybody in it. */
export function genesisOf(people: readonly TrustPerson[], choice: DraftChoice = {}): TrustFile {
  return sealVersion(draftVersion(people, choice), people)
}

/** The version after `last`, with these people, signed by those. */
export function follow(
  last: TrustFile,
  people: readonly TrustPerson[],
  signers: readonly TrustPerson[],
  choice: DraftChoice = {},
): TrustFile {
  return sealVersion(draftVersion(people, choice, last), signers, last.version + 1)
}
