// Signatures that were good, and what becomes of them: changes that know the structure of an SSHSIG, from its armour
// to the numbers inside. Some of what comes out is still good.
import {wireString} from './wire-string.ts'
import type {Random} from '../simulation/random.ts'
import {wireNumber, type ForgedKey} from './forge-keys.ts'
import {ecdsaCurves, ED25519_ORDER, toBytes, toNumber} from './seeded-numbers.ts'
import {armour, packSshsig, signFields, type SigningChoice, type SshsigFields} from './sshsig-forge.ts'
import type {SignedCase} from './ssh-keygen-oracle.ts'

export interface MutatedCase extends SignedCase {
  readonly mutation: string
  readonly key: ForgedKey
}

interface Situation {
  readonly random: Random
  readonly key: ForgedKey
  readonly others: readonly ForgedKey[]
  readonly message: Buffer
}

type Mutation = (situation: Situation) => string | SignedCase

export function mutateSshsig(random: Random, keys: readonly ForgedKey[]): MutatedCase {
  const key = random.pick(keys)
  const mutation = random.pick(Object.keys(MUTATIONS))
  const message = Buffer.from(`statement ${random.below(5)}`)
  const made = MUTATIONS[mutation]?.({random, key, others: keys, message}) ?? ''
  return {mutation, key, ...(typeof made === 'string' ? {armoured: made, message} : made)}
}

const STRAY = [' ', '\t', '\n', '\r', '=', '-', '+', '/', 'A', 'é', '\0', '']

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'nothing but how it is signed': (s) => pack(s, {}, randomChoice(s)),
  'another message': (s) => ({armoured: pack(s), message: mutateBytes(s.random, s.message)}),
  'an end of line after the message': (s) => ({
    armoured: pack(s),
    message: Buffer.concat([s.message, Buffer.from('\n')]),
  }),
  'a bit of the armour': ({random, ...s}) => {
    const text = Buffer.from(pack({random, ...s}), 'latin1')
    return flipBit(random, text).toString('latin1')
  },
  'a character of the armour': (s) => {
    const text = pack(s)
    const at = s.random.below(text.length + 1)
    const taken = s.random.below(2)
    return text.slice(0, at) + s.random.pick(STRAY) + text.slice(at + taken)
  },
  'the columns of the armour': (s) => armour(blobOf(s), s.random.pick([1, 4, 64, 69, 71, 72, 76, 140, 9999])),
  'what stands around the armour': (s) => {
    const [before, after] = [
      s.random.pick(['', '', ' ', '\n', 'x\n']),
      s.random.pick(['', ' ', '\n', 'x', 'x\n']),
    ]
    return before + pack(s) + after
  },
  'the ends of lines': (s) => pack(s).replaceAll('\n', s.random.pick(['\r\n', '\r', '\n\n', ' \n'])),
  'the padding': (s) => pack(s).replace(/=*\n-----END/, `${s.random.pick(['', '=', '==', '==='])}\n-----END`),
  'the last letter before the padding': (s) =>
    pack(s).replace(/(.)(=*\n-----END)/, (_, letter: string, tail: string) => nextLetter(letter) + tail),
  'a bit of the blob': (s) => armour(flipBit(s.random, blobOf(s))),
  'bytes of the blob': (s) => armour(mutateBytes(s.random, blobOf(s))),
  'the end of the blob': (s) => {
    const blob = blobOf(s)
    const cut = blob.subarray(0, blob.length - s.random.below(4))
    return armour(Buffer.concat([cut, Buffer.alloc(s.random.below(4))]))
  },
  'the version': (s) => pack(s, {version: s.random.pick([0, 1, 2, 256, 0xffffffff])}),
  'the magic': (s) => pack(s, {magic: s.random.pick(['SSHSIG', 'SSHSIg', 'sshsig', 'SSHSI'])}),
  'the reserved field': (s) => pack(s, {reserved: s.random.pick(['', 'x', '\0', 'felhom'])}),
  'the namespace': (s) => pack(s, {namespace: randomNamespace(s.random)}),
  'the namespace that was signed': (s) => pack(s, {}, {namespace: randomNamespace(s.random)}),
  'the hash': (s) => pack(s, {hash: s.random.pick(['sha256', 'sha512', 'sha384', 'sha1', 'SHA512', ''])}),
  'the hash that was signed': (s) => pack(s, {}, {hash: s.random.pick(['sha256', 'sha384', 'sha1'])}),
  'the key': (s) => pack(s, {key: s.random.pick(s.others).blob}),
  'bytes of the key': (s) => pack(s, {key: mutateBytes(s.random, s.key.blob)}),
  'what follows the key': (s) =>
    pack(s, {key: Buffer.concat([s.key.blob, wireString(s.random.pick(['', 'ssh:', '\0']))])}),
  'the length of the point': (s) => pack(s, {key: lengthenPoint(s.key.blob)}),
  'bytes of the signature': (s) =>
    pack(s, {signature: mutateBytes(s.random, signFields(s.key, s.message).signature)}),
  'the algorithm of the signature': (s) => {
    const algorithms = [
      'ssh-rsa',
      'rsa-sha2-256',
      'ssh-ed25519',
      'ecdsa-sha2-nistp256',
      s.random.pick(s.others).algorithm,
    ]
    return pack(s, {signature: rename(signFields(s.key, s.message).signature, s.random.pick(algorithms))})
  },
  'the algorithm in front of it left out': (s) => {
    const {signature} = signFields(s.key, s.message)
    return pack(s, {signature: signature.subarray(4 + signature.readUInt32BE(0))})
  },
  'the numbers of the signature': (s) => {
    const {signature} = signFields(s.key, s.message)
    return pack(s, {signature: changeNumbers(s, signature)})
  },
  'flags and counter': (s) =>
    pack(s, {}, {flags: s.random.pick([0, 1, 4, 5, 0x80, 0xff]), counter: s.random.pick([0, 7, 0xffffffff])}),
  'flags after signing': (s) => {
    const signature = Buffer.from(signFields(s.key, s.message).signature)
    signature[signature.length - 5] = s.random.below(256)
    return pack(s, {signature})
  },
  'the application that was signed': (s) =>
    pack(s, {}, {application: s.random.pick(['ssh:', 'ssh:other', 'web'])}),
}

export const MUTATION_NAMES: readonly string[] = Object.keys(MUTATIONS)

const blobOf = (
  {key, message}: Situation,
  altered: Partial<SshsigFields> = {},
  choice: SigningChoice = {},
): Buffer => packSshsig({...signFields(key, message, choice), ...altered})

const pack = (s: Situation, altered: Partial<SshsigFields> = {}, choice: SigningChoice = {}): string =>
  armour(blobOf(s, altered, choice))

const randomChoice = ({random, key}: Situation): SigningChoice => ({
  hash: random.pick(['sha256', 'sha512']),
  ...(key.kind === 'rsa' ? {algorithm: random.pick(['ssh-rsa', 'rsa-sha2-256', 'rsa-sha2-512'])} : {}),
})

const randomNamespace = (random: Random): string =>
  random.pick([
    'felhom-op-v1@felhom',
    'felhom-op-v1@felhom\0',
    'felhom-op-v1@felhom\0x',
    'felhom-op-v1@felhom ',
    'felhom-trust-v1@felhom',
    'git',
    '',
  ])

function flipBit(random: Random, bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes)
  const at = random.below(changed.length)
  changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8))
  return changed
}

function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  const some = Buffer.from(Array.from({length: random.between(1, 4)}, () => random.pick([0, 1, 0x80, 0xff])))
  switch (random.below(4)) {
    case 0:
      return flipBit(random, bytes)
    case 1:
      return Buffer.concat([before, some, after])
    case 2:
      return Buffer.concat([before, after.subarray(random.between(1, 4))])
    default:
      return Buffer.concat([before, some, after.subarray(some.length)])
  }
}

const nextLetter = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) + 1)

/** The second string of a key, a byte longer. */
function lengthenPoint(blob: Buffer): Buffer {
  const at = 4 + blob.readUInt32BE(0)
  const length = blob.readUInt32BE(at)
  const point = Buffer.concat([blob.subarray(at + 4, at + 4 + length), Buffer.alloc(1)])
  return Buffer.concat([blob.subarray(0, at), wireString(point), blob.subarray(at + 4 + length)])
}

function rename(signature: Buffer, algorithm: string): Buffer {
  return Buffer.concat([wireString(algorithm), signature.subarray(4 + signature.readUInt32BE(0))])
}

function changeNumbers({random, key}: Situation, signature: Buffer): Buffer {
  const start = 4 + signature.readUInt32BE(0)
  const end = start + 4 + signature.readUInt32BE(start)
  const changed = changeBytes(random, key, signature.subarray(start + 4, end))
  return Buffer.concat([signature.subarray(0, start), wireString(changed), signature.subarray(end)])
}

function changeBytes(random: Random, {kind}: ForgedKey, bytes: Buffer): Buffer {
  switch (kind) {
    case 'ed25519':
    case 'sk-ed25519': {
      const s =
        toNumber(Buffer.from(bytes.subarray(32)).reverse()) + random.pick([0n, 1n, 2n, 7n]) * ED25519_ORDER
      return Buffer.concat([bytes.subarray(0, 32), toBytes(s, 32).reverse()])
    }
    case 'rsa':
      return random.chance(0.5) ? bytes.subarray(1) : Buffer.concat([Buffer.alloc(1), bytes])
    default:
      return changePair(
        random,
        ecdsaCurves[kind === 'sk-ecdsa' ? 'nistp256' : `nistp${kind.slice(6)}`]?.order ?? 0n,
        bytes,
      )
  }
}

function changePair(random: Random, order: bigint, bytes: Buffer): Buffer {
  const length = bytes.readUInt32BE(0)
  const [r, s] = [toNumber(bytes.subarray(4, 4 + length)), toNumber(bytes.subarray(8 + length))]
  const padded = (number: bigint): Buffer =>
    wireString(toBytes(number, toBytes(number).length + random.between(1, 3)))
  const forms = [
    () => [wireNumber(r), wireNumber(order - s)],
    () => [wireNumber(r + order), wireNumber(s)],
    () => [wireNumber(r), wireNumber(s + order)],
    () => [padded(r), wireNumber(s)],
    () => [wireNumber(r), padded(s)],
    () => [wireNumber(r), wireString('')],
    () => [wireNumber(r), wireString(toBytes(s))],
    () => [wireNumber(r), wireNumber(s), wireString('')],
  ]
  return Buffer.concat(random.pick(forms)())
}
