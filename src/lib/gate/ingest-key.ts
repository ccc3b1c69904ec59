// Public keys on their way into the trust store. Two readers must agree on every key whose type both know: sshpk,
// and our own strict one. sshpk is slow to load: nothing but the making of trust files imports this.
import sshpk from 'sshpk'
import {readKeyLine, type PublicKeyLine} from './key-line.ts'
import {Malformed} from './ssh-wire.ts'

/** Throws Malformed, or WeakKey if it is well-formed but must not be pinned. */
export function ingestKey(text: string): PublicKeyLine {
  const read = readKeyLine(text)
  // Security keys are not known to sshpk.
  if (read.key.application === undefined) checkReencoding(read.blob)
  return read
}

function checkReencoding(blob: Buffer): void {
  let again: Buffer
  try {
    again = sshpk.parseKey(blob, 'rfc4253').toBuffer('rfc4253')
  } catch {
    throw new Malformed('sshpk cannot read the key')
  }
  if (!again.equals(blob)) throw new Malformed('sshpk reads another key from these bytes')
}
