// Bytes, numbers and primes that follow from a seed, and the arithmetic of the curves that keys are made with.
import {checkPrimeSync, createHash} from 'node:crypto'

export const ecdsaCurves: Readonly<
  Record<
    string,
    {readonly openssl: string; readonly hash: string; readonly bytes: number; readonly order: bigint}
  >
> = {
  nistp256: {
    openssl: 'prime256v1',
    hash: 'sha256',
    bytes: 32,
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
  nistp384: {
    openssl: 'secp384r1',
    hash: 'sha384',
    bytes: 48,
    order:
      0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
  nistp521: {
    openssl: 'secp521r1',
    hash: 'sha512',
    bytes: 66,
    order:
      0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
  },
}

/** Of the group of ed25519. */
export const ED25519_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

export function seededBytes(seed: string, length: number): Buffer {
  return createHash('shake256', {outputLength: length}).update(`felhom test ${seed}`).digest()
}

/** At least 1, less than `limit`. */
export function seededNumber(seed: string, limit: bigint): bigint {
  return 1n + (toNumber(seededBytes(seed, 80)) % (limit - 1n))
}

/** With its two highest bits set, so that a product of two has twice the bits. */
export function seededPrime(seed: string, bits: number): bigint {
  const start = toNumber(seededBytes(seed, bits / 8)) | (3n << BigInt(bits - 2)) | 1n
  for (let candidate = start; ; candidate += 2n) {
    if ((candidate - 1n) % 65537n !== 0n && checkPrimeSync(candidate)) return candidate
  }
}

export const toNumber = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`)

export function toBytes(number: bigint, length = Math.ceil(number.toString(16).length / 2)): Buffer {
  return Buffer.from(number.toString(16).padStart(2 * length, '0'), 'hex')
}

export function inverse(number: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [number % modulus, modulus, 1n, 0n]
  while (a > 1n) {
    const quotient = a / b
    ;[a, b, x, y] = [b, a - quotient * b, y, x - quotient * y]
  }
  return ((x % modulus) + modulus) % modulus
}
