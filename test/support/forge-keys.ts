// Keys of every kind that SSH knows, made from a seed: the same seed gives the same key and the same signatures, so
// that what is made with them can be kept as a fixture without any private key beside it.
import {createECDH, createHash, createPrivateKey, sign, type KeyObject} from 'node:crypto'
import {wireString} from './wire-string.ts'
import {
  ecdsaCurves,
  inverse,
  seededBytes,
  seededNumber,
  seededPrime,
  toBytes,
  toNumber,
} from './seeded-numbers.ts'

export const KEY_KINDS = [
  'ed25519',
  'ecdsa-256',
  'ecdsa-384',
  'ecdsa-521',
  'rsa',
  'sk-ed25519',
  'sk-ecdsa',
] as const
export type KeyKind = (typeof KEY_KINDS)[number]

export interface ForgedKey {
  readonly kind: KeyKind
  /** As it stands in front of the key: `ssh-ed25519`. */
  readonly algorithm: string
  readonly blob: Buffer
  /** `ssh-ed25519 AAAA…` */
  readonly line: string
  /** Of a security key. */
  readonly application?: string
  /** The inner bytes of the signature: of ECDSA r and s as numbers of SSH. */
  readonly sign: (data: Buffer, algorithm?: string) => Buffer
}

export interface KeyChoice {
  /** Of a security key; `ssh:` unless told. */
  readonly application?: string
  readonly rsaBits?: number
}

const made = new Map<string, ForgedKey>()

/** RSA keys take a second to make: each is made once. */
export function forgeKey(kind: KeyKind, seed: string, choice: KeyChoice = {}): ForgedKey {
  const name = JSON.stringify([kind, seed, choice])
  const key = made.get(name) ?? makeKey(kind, `${kind} ${seed}`, choice)
  made.set(name, key)
  return key
}

function makeKey(kind: KeyKind, seed: string, {application = 'ssh:', rsaBits = 3072}: KeyChoice): ForgedKey {
  switch (kind) {
    case 'ed25519':
      return finish(kind, 'ssh-ed25519', makeEd25519(seed))
    case 'sk-ed25519':
      return finish(kind, 'sk-ssh-ed25519@openssh.com', makeEd25519(seed), application)
    case 'ecdsa-256':
    case 'ecdsa-384':
    case 'ecdsa-521':
      return finish(kind, `ecdsa-sha2-nistp${kind.slice(6)}`, makeEcdsa(`nistp${kind.slice(6)}`, seed))
    case 'sk-ecdsa':
      return finish(kind, 'sk-ecdsa-sha2-nistp256@openssh.com', makeEcdsa('nistp256', seed), application)
    case 'rsa':
      return finish(kind, 'ssh-rsa', makeRsa(seed, rsaBits))
  }
}

interface KeyParts {
  readonly parts: readonly Buffer[]
  readonly sign: ForgedKey['sign']
}

function finish(
  kind: KeyKind,
  algorithm: string,
  {parts, sign: signData}: KeyParts,
  application?: string,
): ForgedKey {
  const all = [algorithm, ...parts, ...(application === undefined ? [] : [application])]
  const blob = Buffer.concat(all.map((part) => wireString(part)))
  const line = `${algorithm} ${blob.toString('base64')}`
  return {kind, algorithm, blob, line, sign: signData, ...(application === undefined ? {} : {application})}
}

/** What stands before the 32 secret bytes in PKCS #8. */
const ED25519_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex')

function makeEd25519(seed: string): KeyParts {
  const der = Buffer.concat([ED25519_HEADER, seededBytes(seed, 32)])
  const privateKey = createPrivateKey({key: der, format: 'der', type: 'pkcs8'})
  const point = Buffer.from(privateKey.export({format: 'jwk'}).x ?? '', 'base64url')
  return {parts: [point], sign: (data) => sign(null, data, privateKey)}
}

/** ECDSA by hand, because node:crypto draws its k at random. */
function makeEcdsa(name: string, seed: string): KeyParts {
  const curve = ecdsaCurves[name]
  if (!curve) throw new Error(`there is no curve ${name}`)
  const {order, bytes, openssl, hash} = curve
  const secret = seededNumber(seed, order)
  const multiply = (scalar: bigint): Buffer => {
    const ecdh = createECDH(openssl)
    ecdh.setPrivateKey(toBytes(scalar, bytes))
    return ecdh.getPublicKey()
  }
  const signData = (data: Buffer): Buffer => {
    const digest = createHash(hash).update(data).digest()
    const k = seededNumber(`${seed} ${digest.toString('hex')}`, order)
    const r = toNumber(multiply(k).subarray(1, 1 + bytes)) % order
    const s = (inverse(k, order) * (toNumber(digest) + r * secret)) % order
    return Buffer.concat([wireNumber(r), wireNumber(s)])
  }
  return {parts: [Buffer.from(name), multiply(secret)], sign: signData}
}

function makeRsa(seed: string, bits: number): KeyParts {
  const [p, q] = [seededPrime(`${seed} p`, bits / 2), seededPrime(`${seed} q`, bits / 2)]
  const [n, e] = [p * q, 65537n]
  const d = inverse(e, (p - 1n) * (q - 1n))
  const numbers = {n, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p)}
  const jwk = Object.fromEntries(
    Object.entries(numbers).map(([k, v]) => [k, toBytes(v).toString('base64url')]),
  )
  const privateKey: KeyObject = createPrivateKey({key: {kty: 'RSA', ...jwk}, format: 'jwk'})
  const signData = (data: Buffer, algorithm = 'rsa-sha2-512'): Buffer =>
    sign(RSA_HASHES[algorithm] ?? 'sha512', data, privateKey)
  return {parts: [signed(e), signed(n)], sign: signData}
}

const RSA_HASHES: Readonly<Record<string, string>> = {
  'ssh-rsa': 'sha1',
  'rsa-sha2-256': 'sha256',
  'rsa-sha2-512': 'sha512',
}

/** Big-endian, with a zero in front against the sign. */
const signed = (number: bigint): Buffer => {
  const bytes = toBytes(number)
  return ((bytes[0] ?? 0) & 0x80) === 0 ? bytes : Buffer.concat([Buffer.alloc(1), bytes])
}

export const wireNumber = (number: bigint): Buffer => wireString(signed(number))
