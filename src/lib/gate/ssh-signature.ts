// The signature inside an SSHSIG, in the one form that its key's kind has.
import {CURVES, type SshKey} from './ssh-key.ts'
import {Malformed, WireReader} from './ssh-wire.ts'

export interface SignatureBlob {
  readonly algorithm: string
  /** As node:crypto takes it: of ECDSA r and s side by side, each as long as the curve. */
  readonly bytes: Buffer
  /** Of a security key. */
  readonly touch?: {readonly flags: number; readonly counter: number}
}

/** Reads it whole; throws Malformed. */
export function readSignatureBlob(blob: Buffer, key: SshKey): SignatureBlob {
  const reader = new WireReader(blob)
  const algorithm = reader.name()
  const expected = key.kind === 'rsa' ? ['rsa-sha2-256', 'rsa-sha2-512'] : [key.algorithm]
  if (!expected.includes(algorithm)) throw new Malformed(`${algorithm} is not for a key ${key.algorithm}`)
  const bytes = readBytes(reader.string(), key)
  const touch = key.application === undefined ? {} : {touch: {flags: reader.byte(), counter: reader.uint32()}}
  reader.end()
  return {algorithm, bytes, ...touch}
}

function readBytes(bytes: Buffer, key: SshKey): Buffer {
  if (key.kind === 'ecdsa') return readPair(bytes, CURVES[key.curve].bytes)
  const length = key.kind === 'ed25519' ? 64 : key.modulus.length
  if (bytes.length !== length) throw new Malformed(`the signature has ${bytes.length} bytes, not ${length}`)
  return bytes
}

function readPair(bytes: Buffer, width: number): Buffer {
  const reader = new WireReader(bytes)
  const pair = [reader.positiveNumber(), reader.positiveNumber()].map((number) => {
    if (number.length > width) throw new Malformed('a number is larger than its curve')
    return Buffer.concat([Buffer.alloc(width - number.length), number])
  })
  reader.end()
  return Buffer.concat(pair)
}
