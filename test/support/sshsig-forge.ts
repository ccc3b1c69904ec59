// SSHSIG by hand: any signature that `ssh-keygen -Y sign` could write, with any field altered before or after signing.
// Security keys, which cannot be had without the hardware, are synthesised from their specification.
import {createHash} from 'node:crypto'
import {OPERATION_NAMESPACE} from '../../src/lib/gate/namespaces.ts'
import type {ForgedKey} from './forge-keys.ts'
import {wireString} from './wire-string.ts'

export interface SshsigFields {
  readonly magic: string
  readonly version: number
  readonly key: Buffer
  readonly namespace: Buffer | string
  readonly reserved: Buffer | string
  readonly hash: string
  /** Algorithm, bytes, and of a security key flags and counter. */
  readonly signature: Buffer
  readonly trailing: Buffer
}

export interface SigningChoice {
  readonly namespace?: string
  readonly hash?: string
  /** Of the signature: `rsa-sha2-256`, … */
  readonly algorithm?: string
  /** Of a security key: 1 is touch, 4 is PIN. */
  readonly flags?: number
  readonly counter?: number
  /** What the security key believes to sign for. */
  readonly application?: string
}

/** Armoured; `altered` takes the place of what was signed for. */
export function forgeSshsig(
  key: ForgedKey,
  message: Uint8Array | string,
  choice: SigningChoice = {},
  altered: Partial<SshsigFields> = {},
): string {
  return armour(packSshsig({...signFields(key, message, choice), ...altered}))
}

export function signFields(
  key: ForgedKey,
  message: Uint8Array | string,
  choice: SigningChoice = {},
): SshsigFields {
  const {namespace = OPERATION_NAMESPACE, hash = 'sha512'} = choice
  const digest = createHash(hash).update(message).digest()
  const frame = [namespace, '', hash, digest].map((part) => wireString(part))
  const signature = signBlob(key, Buffer.concat([Buffer.from('SSHSIG'), ...frame]), choice)
  return {
    ...{magic: 'SSHSIG', version: 1, key: key.blob, namespace, reserved: '', hash, signature},
    trailing: Buffer.alloc(0),
  }
}

export function signBlob(key: ForgedKey, data: Buffer, choice: SigningChoice): Buffer {
  const {flags = 1, counter = 7, algorithm = key.kind === 'rsa' ? 'rsa-sha2-512' : key.algorithm} = choice
  if (key.application === undefined)
    return Buffer.concat([algorithm, key.sign(data, algorithm)].map((part) => wireString(part)))
  const counted = Buffer.concat([Buffer.from([flags]), uint32(counter)])
  const application = sha256(choice.application ?? key.application)
  const bytes = key.sign(Buffer.concat([application, counted, sha256(data)]))
  return Buffer.concat([wireString(algorithm), wireString(bytes), counted])
}

export function packSshsig(fields: SshsigFields): Buffer {
  const {magic, version, key, namespace, reserved, hash, signature, trailing} = fields
  const strings = [key, namespace, reserved, hash, signature].map((part) => wireString(part))
  return Buffer.concat([Buffer.from(magic), uint32(version), ...strings, trailing])
}

/** As ssh-keygen writes it; its own lines here, so that a fault of ours does not hide itself. */
export function armour(blob: Buffer, columns = 70): string {
  const base64 = blob.toString('base64')
  const lines: string[] = []
  for (let at = 0; at < base64.length; at += columns) lines.push(base64.slice(at, at + columns))
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n')
}

export function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()
