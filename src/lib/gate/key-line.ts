// A public key as ssh-keygen writes it into `KEY.pub` and as the trust store keeps it: one line, read strictly.
import {fingerprintKey} from './fingerprint.ts'
import {readSshKey, type SshKey} from './ssh-key.ts'
import {Malformed} from './ssh-wire.ts'
import {refuseWeakKey} from './weak-keys.ts'

export interface PublicKeyLine {
  /** These exact bytes are pinned. */
  readonly blob: Buffer
  readonly key: SshKey
  /** `SHA256:…` */
  readonly fingerprint: string
  /** `ssh-ed25519 AAAA…`, without a comment. */
  readonly line: string
  readonly comment: string
}

/** `ssh-ed25519 AAAA… somebody@somewhere`, with or without an end of line. */
const LINE = /^([a-z0-9@.-]{1,64}) ([A-Za-z0-9+/]{1,8192}={0,2})(?: ([^\p{Cc}\p{Cf}\p{Cs}]{0,512}))?\n?$/u

/** Throws Malformed, or WeakKey if it is well-formed but must not be pinned. */
export function readKeyLine(text: string): PublicKeyLine {
  const [, type, base64, comment = ''] = LINE.exec(text) ?? []
  if (type === undefined || base64 === undefined) throw new Malformed('it is no line of a public SSH key')
  const blob = Buffer.from(base64, 'base64')
  if (blob.toString('base64') !== base64) throw new Malformed('the key is not plain base64')
  const key = readSshKey(blob)
  if (key.algorithm !== type) throw new Malformed(`the line says ${type}, the key ${key.algorithm}`)
  refuseWeakKey(key)
  return {blob, key, fingerprint: fingerprintKey(blob), line: `${type} ${base64}`, comment: comment.trim()}
}
