// Public SSH keys as `ssh-keygen -l` accepts them, one a line.
import {die} from '../pve-error.ts'

const KEY_LENGTHS: Record<string, number | undefined> = {'ssh-ed25519': 32, 'sk-ssh-ed25519@openssh.com': 32}
const KEY_TYPE =
  /^(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)$/

/** Dies where one of the lines is no key. */
export function validateSshKeys(text: string): void {
  for (const line of text.split('\n')) {
    if (line.trim() !== '' && !isPublicKey(line)) die('SSH public key validation error')
  }
}

/** Options may stand before the type, a comment after the key. */
function isPublicKey(line: string): boolean {
  const words = line.trim().split(/\s+/)
  const at = words.findIndex((word) => KEY_TYPE.test(word))
  const type = words[at] ?? ''
  const encoded = words[at + 1]
  if (at < 0 || encoded === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return false
  const fields = readFields(Buffer.from(encoded, 'base64'))
  if (fields?.[0]?.toString('latin1') !== type || fields.length < 2) return false
  const length = KEY_LENGTHS[type]
  return length === undefined || fields[1]?.length === length
}

/** The key's fields, each after its length in four bytes; undefined where they do not fill the key exactly. */
function readFields(key: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = []
  let at = 0
  while (at + 4 <= key.length) {
    const end = at + 4 + key.readUInt32BE(at)
    if (end > key.length) return undefined
    fields.push(key.subarray(at + 4, end))
    at = end
  }
  return at === key.length ? fields : undefined
}
