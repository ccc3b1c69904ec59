// Public keys as the trust store writes them: type and base64 as in a .pub file, no comment, one text per key.
import {fingerprintKey} from './fingerprint.ts'
import {readSshKey, type SshKey} from './ssh-key.ts'
import {Malformed} from './ssh-wire.ts'

export interface TrustKey {
  readonly keyText: string
  readonly keyBlob: Buffer
  readonly key: SshKey
  readonly fingerprint: string
}

/** Throws Malformed. */
export function readTrustKey(keyText: string): TrustKey {
  const [algorithm = '', base64 = '', ...rest] = keyText.split(' ')
  const keyBlob = Buffer.from(base64, 'base64')
  if (rest.length > 0 || base64 === '' || keyBlob.toString('base64') !== base64)
    throw new Malformed('a key is not written as its type and base64')
  const key = readSshKey(keyBlob)
  if (key.algorithm !== algorithm) throw new Malformed(`a key ${key.algorithm} is written as ${algorithm}`)
  return {keyText, keyBlob, key, fingerprint: fingerprintKey(keyBlob)}
}

export const writeTrustKey = (algorithm: string, keyBlob: Uint8Array): string =>
  `${algorithm} ${Buffer.from(keyBlob).toString('base64')}`
