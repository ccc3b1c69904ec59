// SSHSIG, the signatures of `ssh-keygen -Y sign`: a strict reader and a verdict by node:crypto. It takes exactly the
// form that ssh-keygen writes, decodes all of it before anybody asks who signed, and holds no opinion on trust.
import {createHash, verify} from 'node:crypto'
import {CURVES, readSshKey, type SshKey} from './ssh-key.ts'
import {readSignatureBlob, type SignatureBlob} from './ssh-signature.ts'
import {Malformed, WireReader, wireString} from './ssh-wire.ts'

export interface SshSignature {
  /** The exact bytes of the key that claims to have signed: this is what must be pinned. */
  readonly keyBlob: Buffer
  readonly key: SshKey
  readonly namespace: string
  readonly hash: 'sha256' | 'sha512'
  readonly signature: SignatureBlob
}

const BEGIN = '-----BEGIN SSH SIGNATURE-----\n'
const END = '-----END SSH SIGNATURE-----\n'
const LINES = /.{1,70}/g
/** A signature of the largest RSA key that is accepted, in its armour. */
export const MAX_ARMOUR_CHARACTERS = 8192

/** Reads an armoured signature whole; throws Malformed. */
export function readSshSignature(armoured: string): SshSignature {
  const reader = new WireReader(unwrapArmour(armoured))
  if (reader.take(6).toString('latin1') !== 'SSHSIG') throw new Malformed('it is no SSH signature')
  if (reader.uint32() !== 1) throw new Malformed('its version is not 1')
  const keyBlob = reader.string()
  const namespace = reader.label()
  if (reader.string().length > 0) throw new Malformed('its reserved field is not empty')
  const hash = reader.name()
  if (hash !== 'sha256' && hash !== 'sha512') throw new Malformed(`${hash} is no hash for messages`)
  const signatureBlob = reader.string()
  reader.end()
  const key = readSshKey(keyBlob)
  return {keyBlob, key, namespace, hash, signature: readSignatureBlob(signatureBlob, key)}
}

/** Writing it again must give the same text: that ends junk, padding, line lengths and what stands around it. */
function unwrapArmour(armoured: string): Buffer {
  if (armoured.length > MAX_ARMOUR_CHARACTERS) throw new Malformed('the signature is too long')
  const text = armoured.endsWith('\n') ? armoured : `${armoured}\n`
  if (!text.startsWith(BEGIN) || !text.endsWith(`\n${END}`)) throw new Malformed('its armour is not whole')
  const bytes = Buffer.from(text.slice(BEGIN.length, -END.length), 'base64')
  if (wrapArmour(bytes) !== text) throw new Malformed('its armour is not as ssh-keygen writes it')
  return bytes
}

export function wrapArmour(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(LINES) ?? []
  return `${BEGIN}${lines.join('\n')}\n${END}`
}

/** What is signed in place of the message itself. */
export function signedBytes(namespace: string, hash: 'sha256' | 'sha512', message: Uint8Array): Buffer {
  const digest = createHash(hash).update(message).digest()
  const frame = [namespace, '', hash].map((part) => wireString(part))
  return Buffer.concat([Buffer.from('SSHSIG'), ...frame, wireString(digest)])
}

export interface KeyDemands {
  /** Security keys: a PIN or fingerprint besides the touch, which is always demanded. */
  readonly userVerification?: boolean
  /** Security keys: exactly this application; without it one of `ssh:`. */
  readonly application?: string
}

/** Whether `pinned`, and nobody else, signed this very message in this namespace. */
export function isSignedBy(
  pinned: SshKey,
  {namespace, hash, signature}: SshSignature,
  message: Uint8Array,
  demands: KeyDemands = {},
): boolean {
  const signed = signedBytes(namespace, hash, message)
  if (pinned.application === undefined)
    return signature.touch === undefined && check(pinned, signature, signed)
  const {touch} = signature
  if (!touch || !isPresent(touch.flags, demands) || !isOurApplication(pinned.application, demands))
    return false
  const counted = Buffer.alloc(5)
  counted.writeUInt8(touch.flags)
  counted.writeUInt32BE(touch.counter, 1)
  const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()
  return check(pinned, signature, Buffer.concat([sha256(pinned.application), counted, sha256(signed)]))
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04

function isPresent(flags: number, {userVerification = false}: KeyDemands): boolean {
  if ((flags & USER_PRESENT) === 0) return false
  return !userVerification || (flags & USER_VERIFIED) !== 0
}

/** A key that was enrolled for a web site answers to that site, and must not answer here. */
const isOurApplication = (application: string, demands: KeyDemands): boolean =>
  application.startsWith('ssh:') && (demands.application ?? application) === application

function check(key: SshKey, {algorithm, bytes}: SignatureBlob, signed: Buffer): boolean {
  switch (key.kind) {
    case 'ed25519':
      return verify(null, signed, key.publicKey(), bytes)
    case 'rsa':
      return verify(algorithm === 'rsa-sha2-256' ? 'sha256' : 'sha512', signed, key.publicKey(), bytes)
    case 'ecdsa':
      return verify(CURVES[key.curve].hash, signed, {key: key.publicKey(), dsaEncoding: 'ieee-p1363'}, bytes)
  }
}
