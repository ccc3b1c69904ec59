// Public keys as SSH writes them. Each kind has exactly one form here; anything else, certificates among it, is
// malformed.
import {createPublicKey, type KeyObject} from 'node:crypto'
import {Malformed, WireReader} from './ssh-wire.ts'

export const CURVES = {
  nistp256: {jwk: 'P-256', bytes: 32, hash: 'sha256'},
  nistp384: {jwk: 'P-384', bytes: 48, hash: 'sha384'},
  nistp521: {jwk: 'P-521', bytes: 66, hash: 'sha512'},
} as const
export type Curve = keyof typeof CURVES

/** 16,384 bits, the most that ssh-keygen makes. */
const MAX_MODULUS_BYTES = 2048

export type SshKey = {
  /** Of the key, as it stands in front of it: `ssh-ed25519`. */
  readonly algorithm: string
  /** Made when it is first asked for: whoever only claims to have signed is never asked. */
  readonly publicKey: () => KeyObject
} & (
  | {readonly kind: 'ed25519'; readonly point: Buffer; readonly application?: string}
  | {readonly kind: 'ecdsa'; readonly curve: Curve; readonly application?: string}
  | {readonly kind: 'rsa'; readonly modulus: Buffer; readonly exponent: Buffer; readonly application?: never}
)

/** Reads a key blob whole; throws Malformed. */
export function readSshKey(blob: Buffer): SshKey {
  const reader = new WireReader(blob)
  const algorithm = reader.name()
  const key = readBody(algorithm, reader)
  reader.end()
  return key
}

function readBody(algorithm: string, reader: WireReader): SshKey {
  switch (algorithm) {
    case 'ssh-ed25519':
      return readEd25519(algorithm, reader)
    case 'sk-ssh-ed25519@openssh.com':
      return {...readEd25519(algorithm, reader), application: reader.label()}
    case 'ecdsa-sha2-nistp256':
    case 'ecdsa-sha2-nistp384':
    case 'ecdsa-sha2-nistp521':
      return readEcdsa(algorithm, algorithm.slice('ecdsa-sha2-'.length) as Curve, reader)
    case 'sk-ecdsa-sha2-nistp256@openssh.com':
      return {...readEcdsa(algorithm, 'nistp256', reader), application: reader.label()}
    case 'ssh-rsa':
      return readRsa(algorithm, reader)
    default:
      throw new Malformed(`keys of the type ${algorithm} are not supported`)
  }
}

function readEd25519(algorithm: string, reader: WireReader): SshKey & {kind: 'ed25519'} {
  const point = reader.string()
  if (point.length !== 32) throw new Malformed('an ed25519 key has 32 bytes')
  let made: KeyObject | undefined
  const publicKey = (): KeyObject =>
    (made ??= importKey({kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url')}))
  return {kind: 'ed25519', algorithm, point, publicKey}
}

function readEcdsa(algorithm: string, curve: Curve, reader: WireReader): SshKey & {kind: 'ecdsa'} {
  if (reader.name() !== curve) throw new Malformed('the curve is not the one that its algorithm names')
  const {bytes, jwk} = CURVES[curve]
  const point = reader.string()
  if (point.length !== 1 + 2 * bytes || point[0] !== 4) throw new Malformed('the point is not uncompressed')
  const [x, y] = [point.subarray(1, 1 + bytes), point.subarray(1 + bytes)]
  const publicKey = importKey({
    kty: 'EC',
    crv: jwk,
    x: x.toString('base64url'),
    y: y.toString('base64url'),
  })
  return {kind: 'ecdsa', algorithm, curve, publicKey: () => publicKey}
}

function readRsa(algorithm: string, reader: WireReader): SshKey & {kind: 'rsa'} {
  const exponent = reader.positiveNumber()
  const modulus = reader.positiveNumber()
  if (modulus.length > MAX_MODULUS_BYTES) throw new Malformed('the RSA key is too long')
  const publicKey = importKey({
    kty: 'RSA',
    e: exponent.toString('base64url'),
    n: modulus.toString('base64url'),
  })
  return {kind: 'rsa', algorithm, modulus, exponent, publicKey: () => publicKey}
}

function importKey(jwk: Record<string, string>): KeyObject {
  try {
    return createPublicKey({key: jwk, format: 'jwk'})
  } catch {
    throw new Malformed('the key is not one of its kind')
  }
}
