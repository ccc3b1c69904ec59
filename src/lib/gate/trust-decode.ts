// Reads one version of the trust store. The schema is closed, and what could not be meant is refused here: a weak
// key, a key twice, a role that nobody holds, more signatures wanted than there are people.
import {SIGNED_OPERATIONS, type CanonicalValue, type Role} from '../model/approval.ts'
import {readCanonical} from './canonical-json.ts'
import {isList, readFields, readInteger, readObject, readText} from './closed-object.ts'
import {readKeyLine, type PublicKeyLine} from './key-line.ts'
import {Malformed} from './ssh-wire.ts'
import {readTimestamp} from './timestamp.ts'
import {
  countPeople,
  ROLES,
  type PinnedSigner,
  type RevokedKey,
  type ThresholdName,
  type TrustDocument,
} from './trust-document.ts'
import {TrustProblem} from './trust-problem.ts'
import {WeakKey} from './weak-keys.ts'

export const MAX_TRUST_BYTES = 64 * 1024
/** A person's name as OpenSSH takes it in allowed_signers; lower case, so that no two look alike. */
const PRINCIPAL = /^[a-z0-9][a-z0-9._@+-]{0,63}$/
const HASH = /^sha256:[0-9a-f]{64}$/
const ANY_TEXT = /^/
const MAX_VERSION = 1_000_000

export const isPrincipal = (text: string): boolean => PRINCIPAL.test(text)

/** Throws TrustProblem. */
export function decodeTrust(bytes: Uint8Array): TrustDocument {
  if (bytes.length > MAX_TRUST_BYTES) throw new TrustProblem('malformed', 'it is too large')
  try {
    return readDocument(readCanonical(bytes))
  } catch (error) {
    if (error instanceof WeakKey) throw new TrustProblem('weak_key', error.message)
    if (error instanceof Malformed) throw new TrustProblem('malformed', error.message)
    throw error
  }
}

const FIELDS = ['version', 'prev', 'expires', 'thresholds', 'revoked', 'signers'] as const

function readDocument(value: CanonicalValue): TrustDocument {
  const fields = readFields(value, FIELDS)
  const version = readInteger(fields.version, 1, MAX_VERSION, 'version')
  const document: TrustDocument = {
    version,
    prev: readPrev(fields.prev, version),
    expiresMs: readTimestamp(fields.expires),
    thresholds: readThresholds(fields.thresholds),
    revoked: readList(fields.revoked, 'revoked').map(readRevoked),
    signers: readList(fields.signers, 'signers').map(readSigner),
  }
  refuseTwice(document)
  checkThresholds(document)
  return document
}

function readList(value: CanonicalValue, field: string): readonly CanonicalValue[] {
  if (!isList(value)) throw new Malformed(`"${field}" is no list`)
  return value
}

function readPrev(value: CanonicalValue, version: number): string | undefined {
  if (version > 1) return readText(value, HASH, 'prev')
  if (value !== null) throw new Malformed('version 1 names a version before it')
  return undefined
}

export const THRESHOLD_NAMES: readonly ThresholdName[] = [
  'default',
  'recovery',
  ...SIGNED_OPERATIONS.filter((op) => op !== 'trust.rotate_recovery'),
]

export const isThresholdName = (text: string): text is ThresholdName =>
  (THRESHOLD_NAMES as readonly string[]).includes(text)

function readThresholds(value: CanonicalValue): TrustDocument['thresholds'] {
  const fields = readObject(value)
  for (const [name, count] of Object.entries(fields)) {
    if (!isThresholdName(name)) throw new Malformed(`there is no operation ${name} to set a threshold for`)
    if (typeof count !== 'number') throw new Malformed(`the threshold ${name} is no number`)
  }
  const thresholds = fields as Partial<Record<ThresholdName, number>>
  const {default: common, recovery} = thresholds
  if (common === undefined || recovery === undefined)
    throw new Malformed('the thresholds "default" and "recovery" are not both there')
  return {...thresholds, default: common, recovery}
}

function readRevoked(value: CanonicalValue): RevokedKey {
  const {keyText, keyBlob, fingerprint} = readKey(value, 'revoked')
  return {keyText, keyBlob, fingerprint}
}

/** As in a .pub file, but without its comment: a key has one text. */
function readKey(
  value: CanonicalValue,
  field: string,
): Pick<PinnedSigner, 'keyText' | 'keyBlob' | 'key' | 'fingerprint'> {
  const keyText = readText(value, ANY_TEXT, field)
  const {line, blob: keyBlob, key, fingerprint} = recallKey(keyText)
  if (line !== keyText) throw new Malformed(`"${field}" is more than a key`)
  return {keyText, keyBlob, key, fingerprint}
}

const MAX_RECALLED = 1024
const recalled = new Map<string, PublicKeyLine>()

/** Every version repeats the keys of the one before, and to prove that a point is not weak takes a millisecond. */
function recallKey(keyText: string): PublicKeyLine {
  const known = recalled.get(keyText)
  if (known) return known
  const read = readKeyLine(keyText)
  if (recalled.size >= MAX_RECALLED) recalled.clear()
  recalled.set(keyText, read)
  return read
}

const SIGNER_FIELDS = [
  'principal',
  'key',
  'role',
  'not_before',
  'not_after',
  'require_uv',
  'application',
] as const

function readSigner(value: CanonicalValue): PinnedSigner {
  const fields = readFields(value, SIGNER_FIELDS)
  const principal = readText(fields.principal, PRINCIPAL, 'principal')
  const key = readKey(fields.key, 'key')
  const notBeforeMs = readBound(fields.not_before)
  const notAfterMs = readBound(fields.not_after)
  if (notBeforeMs !== undefined && notAfterMs !== undefined && notBeforeMs >= notAfterMs)
    throw new Malformed(`the key of ${principal} is never valid`)
  const demands = readDemands(fields.require_uv, fields.application)
  // To ignore what only a security key can meet would be to pretend.
  if (key.key.application === undefined && (demands.requireUv || demands.application !== undefined))
    throw new Malformed(`the key of ${principal} is no security key`)
  return {principal, role: readRole(fields.role), ...key, notBeforeMs, notAfterMs, ...demands}
}

const readBound = (value: CanonicalValue): number | undefined =>
  value === null ? undefined : readTimestamp(value)

function readRole(value: CanonicalValue): Role {
  const role = ROLES.find((one) => one === value)
  if (!role) throw new Malformed(`a role is neither ${ROLES.join(' nor ')}`)
  return role
}

function readDemands(
  requireUv: CanonicalValue,
  pinned: CanonicalValue,
): Pick<PinnedSigner, 'requireUv' | 'application' | 'demands'> {
  if (typeof requireUv !== 'boolean') throw new Malformed('"require_uv" is neither true nor false')
  const application = pinned === null ? undefined : readText(pinned, ANY_TEXT, 'application')
  const demands = {userVerification: requireUv, ...(application !== undefined && {application})}
  return {requireUv, application, demands}
}

function refuseTwice({signers, revoked}: TrustDocument): void {
  const seen = new Set<string>()
  for (const {keyText, fingerprint} of [...signers, ...revoked]) {
    if (seen.has(keyText)) throw new TrustProblem('duplicate_key', `the key ${fingerprint} is there twice`)
    seen.add(keyText)
  }
}

function checkThresholds({signers, thresholds}: TrustDocument): void {
  for (const role of ROLES) {
    if (countPeople(signers, role) === 0) throw new TrustProblem('role_empty', `nobody has the role ${role}`)
  }
  for (const [name, count] of Object.entries(thresholds)) {
    const role = name === 'recovery' ? 'recovery' : 'operational'
    const people = countPeople(signers, role)
    if (count >= 1 && count <= people) continue
    const held = `the role ${role} is held by ${people} ${people === 1 ? 'person' : 'people'}`
    throw new TrustProblem('threshold', `the threshold ${name} is ${count}, and ${held}`)
  }
}
