// Keys that are well-formed and yet must not be pinned, because others could sign in their name. node:crypto and
// ssh-keygen take them all.
import {hasSmallOrder, readEdwardsPoint} from './edwards-point.ts'
import type {SshKey} from './ssh-key.ts'
import {Malformed} from './ssh-wire.ts'

const MIN_RSA_BITS = 3072
const MIN_EXPONENT = 65537n
/** OpenSSL takes no larger one of a large key. */
const MAX_EXPONENT_BYTES = 8

export class WeakKey extends Malformed {}

/** Throws WeakKey. */
export function refuseWeakKey(key: SshKey): void {
  const weakness = findWeakness(key)
  if (weakness !== undefined) throw new WeakKey(weakness)
}

/** Why it must not be pinned; undefined: it may be. */
export function findWeakness(key: SshKey): string | undefined {
  switch (key.kind) {
    case 'ed25519':
      return findWeakPoint(key.point)
    case 'rsa':
      return findWeakNumbers(key.modulus, key.exponent)
    case 'ecdsa':
      // Its group has prime order, and a point that is not on the curve is malformed.
      return undefined
  }
}

function findWeakPoint(bytes: Buffer): string | undefined {
  const point = readEdwardsPoint(bytes)
  if (!point) return 'the ed25519 key is no point of its curve, or not in its one encoding'
  return hasSmallOrder(point) ? 'the ed25519 key has small order: anybody could sign in its name' : undefined
}

function findWeakNumbers(modulus: Buffer, exponent: Buffer): string | undefined {
  const bits = countBits(modulus)
  if (bits < MIN_RSA_BITS) return `the RSA key has ${bits} bits; ${MIN_RSA_BITS} are the least`
  if (isEven(modulus)) return 'the RSA modulus is even'
  if (exponent.length > MAX_EXPONENT_BYTES) return 'the RSA exponent is too large'
  if (isEven(exponent)) return 'the RSA exponent is even'
  return toNumber(exponent) < MIN_EXPONENT ? `the RSA exponent is less than ${MIN_EXPONENT}` : undefined
}

const isEven = (bytes: Buffer): boolean => ((bytes.at(-1) ?? 0) & 1) === 0

const toNumber = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`)

/** The first byte is not zero. */
const countBits = (bytes: Buffer): number => bytes.length * 8 - Math.clz32(bytes[0] ?? 0) + 24
