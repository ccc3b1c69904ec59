// Whether one version of the trust store may follow another, given who signed it. The recovery threshold may change
// anything; the operational threshold may add and remove operational keys, and nothing else.
import type {Role} from '../model/approval.ts'
import {writeCanonical} from './canonical-json.ts'
import {
  countPeople,
  encodeSigner,
  findThreshold,
  ROLES,
  type PinnedSigner,
  type TrustDocument,
} from './trust-document.ts'
import type {TrustSigners} from './trust-signatures.ts'

/** People who signed, of those that it takes. */
export interface Tally {
  readonly signed: number
  readonly needed: number
}

export interface RotationState {
  /** The role by whose threshold it is valid; undefined: not yet. */
  readonly by: Role | undefined
  /** Keys that are new and have not signed: nobody has proved to hold them. */
  readonly unproven: readonly PinnedSigner[]
  /** Why the operational role alone may not make this change; undefined: it may. */
  readonly beyondOperational: string | undefined
  readonly tallies: Readonly<Record<Role, {readonly before: Tally; readonly now: Tally}>>
}

/** `counts` says whose signature has weight; to prove that one holds a key, any will do. */
export function weighRotation(
  old: TrustDocument,
  next: TrustDocument,
  signed: TrustSigners,
  counts: (signer: PinnedSigner) => boolean,
): RotationState {
  const unproven = findUnproven(old, next, signed)
  const beyondOperational = findBeyondOperational(old, next)
  const tallyBoth = (role: Role): {before: Tally; now: Tally} => ({
    before: tally(old, signed.before.filter(counts), role),
    now: tally(next, signed.now.filter(counts), role),
  })
  const tallies = {operational: tallyBoth('operational'), recovery: tallyBoth('recovery')}
  const suffices = (role: Role): boolean => isFull(tallies[role].before) && isFull(tallies[role].now)
  const permitted = ROLES.filter((role) => role === 'recovery' || beyondOperational === undefined)
  const by = unproven.length > 0 ? undefined : permitted.find(suffices)
  return {by, unproven, beyondOperational, tallies}
}

function tally(document: TrustDocument, signed: readonly PinnedSigner[], role: Role): Tally {
  return {
    signed: countPeople(signed, role),
    needed: findThreshold(document, 'trust.rotate_operational', role),
  }
}

const isFull = ({signed, needed}: Tally): boolean => signed >= needed

/** A key is new to whoever did not have it: another person or another role makes it new. */
function findUnproven(old: TrustDocument, next: TrustDocument, {now}: TrustSigners): PinnedSigner[] {
  const known = new Set(old.signers.map(claim))
  return next.signers.filter((signer) => !known.has(claim(signer)) && !now.includes(signer))
}

const claim = ({principal, role, keyText}: PinnedSigner): string => `${principal} ${role} ${keyText}`

function findBeyondOperational(old: TrustDocument, next: TrustDocument): string | undefined {
  if (showRecovery(old) !== showRecovery(next)) return 'it changes the signers of the recovery role'
  if (writeCanonical(old.thresholds) !== writeCanonical(next.thresholds)) return 'it changes thresholds'
  if (old.expiresMs !== next.expiresMs) return 'it changes the expiry'
  const kept = new Set(next.revoked.map(({keyText}) => keyText))
  if (!old.revoked.every(({keyText}) => kept.has(keyText))) return 'it takes a revocation back'
  const revocable = new Set(
    [...old.revoked, ...old.signers.filter(({role}) => role === 'operational')].map(({keyText}) => keyText),
  )
  if (!next.revoked.every(({keyText}) => revocable.has(keyText)))
    return 'it revokes a key that was not operational'
  return undefined
}

const showRecovery = ({signers}: TrustDocument): string =>
  writeCanonical(signers.filter(({role}) => role === 'recovery').map(encodeSigner))
