// Keys of every kind, the malformed and the weak.
import {fingerprintKey} from '../../../src/lib/gate/fingerprint.ts'
import {wireString} from '../wire-string.ts'
import {forgeKey, KEY_KINDS} from '../forge-keys.ts'
import {seededBytes, toBytes} from '../seeded-numbers.ts'
import type {KeyVector} from './vector-types.ts'

export function makeKeyVectors(): KeyVector[] {
  const good = KEY_KINDS.map((kind): KeyVector => {
    const {line, blob} = forgeKey(kind, 'vector')
    return {title: kind, line, expect: 'good', fingerprint: fingerprintKey(blob)}
  })
  return [
    ...good,
    ...Object.entries(MALFORMED).map(([title, line]): KeyVector => ({title, line, expect: 'malformed'})),
    ...Object.entries(WEAK).map(([title, line]): KeyVector => ({title, line, expect: 'weak_key'})),
  ]
}

const lineOf = (type: string, ...parts: readonly (Buffer | string)[]): string =>
  `${type} ${Buffer.concat([type, ...parts].map((part) => wireString(part))).toString('base64')}`
const ed25519 = forgeKey('ed25519', 'vector')
const point = ed25519.blob.subarray(-32)
const P256 = forgeKey('ecdsa-256', 'vector').blob.subarray(-65)
const MODULUS = Buffer.concat([Buffer.from([0, 0x80]), seededBytes('modulus', 382), Buffer.from([1])])
const EXPONENT = toBytes(65537n)
const nextLetter = (text: string): string => String.fromCharCode(text.charCodeAt(0) + 1)
const SK = 'sk-ssh-ed25519@openssh.com'

const MALFORMED: Readonly<Record<string, string>> = {
  'ed25519 of 33 bytes': lineOf('ssh-ed25519', Buffer.concat([point, Buffer.alloc(1)])),
  'ed25519 with a string too many': lineOf('ssh-ed25519', point, ''),
  'a security key without an application': lineOf(SK, point),
  'ecdsa of another curve than its name says': lineOf('ecdsa-sha2-nistp384', 'nistp256', P256),
  'ecdsa with a NUL after the name of its curve': lineOf('ecdsa-sha2-nistp256', 'nistp256\0', P256),
  'ecdsa that is not on its curve': lineOf(
    'ecdsa-sha2-nistp256',
    'nistp256',
    Buffer.concat([Buffer.from([4]), seededBytes('xy', 64)]),
  ),
  'rsa with a zero in front of its modulus': lineOf(
    'ssh-rsa',
    EXPONENT,
    Buffer.concat([Buffer.alloc(1), MODULUS]),
  ),
  'rsa with a negative modulus': lineOf('ssh-rsa', EXPONENT, MODULUS.subarray(1)),
  'a certificate': lineOf('ssh-ed25519-cert-v01@openssh.com', seededBytes('nonce', 32), point),
  dsa: lineOf('ssh-dss', MODULUS, MODULUS, MODULUS, MODULUS),
  'another type than the key says': ed25519.line.replace('ssh-ed25519', 'ssh-rsa'),
  'base64 with stray bits': forgeKey('ecdsa-256', 'vector').line.replace(
    /.=$/,
    (end) => `${nextLetter(end)}=`,
  ),
  'options in front': `restrict ${ed25519.line}`,
  'a carriage return': `${ed25519.line}\r\n`,
}

const weakPoint = (hex: string): string => lineOf('ssh-ed25519', Buffer.from(hex, 'hex'))

const WEAK: Readonly<Record<string, string>> = {
  'rsa of 2048 bits': lineOf(
    'ssh-rsa',
    EXPONENT,
    Buffer.concat([MODULUS.subarray(0, 256), Buffer.from([1])]),
  ),
  'rsa with the exponent 3': lineOf('ssh-rsa', Buffer.from([3]), MODULUS),
  'rsa with the exponent 65538': lineOf('ssh-rsa', toBytes(65538n), MODULUS),
  'ed25519 of order 1': weakPoint(`01${'00'.repeat(31)}`),
  'ed25519 of order 2': weakPoint(`ec${'ff'.repeat(30)}7f`),
  'ed25519 of order 4': weakPoint('00'.repeat(32)),
  'ed25519 of order 8': weakPoint('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'),
  'ed25519 beyond its field': weakPoint(`f0${'ff'.repeat(30)}7f`),
  'ed25519 that is no point': weakPoint(`02${'00'.repeat(31)}`),
  'a security key of order 8': lineOf(
    SK,
    Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex'),
    'ssh:',
  ),
}
