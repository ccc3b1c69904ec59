// Public keys as OpenSSH's own tool accepts them: a file is good if at least one of its lines is a key.
import {die} from '../../pve-error.ts'

const KEY_TYPE =
  /^(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)$/

export function checkSshKeys(text: string): void {
  if (!text.split('\n').some(isKey)) die('SSH public key validation error')
}

/** Options may stand before the type; the blob repeats the type in its first field. */
function isKey(line: string): boolean {
  const words = line.trim().split(/\s+/)
  const at = words.findIndex((word) => KEY_TYPE.test(word))
  const type = words[at]
  const blob = words[at + 1]
  if (type === undefined || blob === undefined || line.startsWith('#')) return false
  const bytes = Buffer.from(blob, 'base64')
  return bytes.length > 4 + type.length && bytes.toString('latin1', 4, 4 + type.length) === type
}
