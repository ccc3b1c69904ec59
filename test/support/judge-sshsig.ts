// What the gate makes of one signature when one key is pinned: steps 3 to 6 of the verification, in their order.
import type {RefusalCode} from '../../src/lib/model/approval.ts'
import {OPERATION_NAMESPACE} from '../../src/lib/gate/namespaces.ts'
import {readSshKey} from '../../src/lib/gate/ssh-key.ts'
import {isSignedBy, readSshSignature, type KeyDemands, type SshSignature} from '../../src/lib/gate/sshsig.ts'
import {Malformed} from '../../src/lib/gate/ssh-wire.ts'

export function judgeSshsig(
  armoured: string,
  pinned: Buffer,
  message: Uint8Array | string,
  demands: KeyDemands = {},
): RefusalCode | 'good' {
  let signature: SshSignature
  try {
    signature = readSshSignature(armoured)
  } catch (error) {
    if (error instanceof Malformed) return 'malformed'
    throw error
  }
  if (!signature.keyBlob.equals(pinned)) return 'unknown_signer'
  if (signature.namespace !== OPERATION_NAMESPACE) return 'wrong_namespace'
  const good = isSignedBy(readSshKey(pinned), signature, Buffer.from(message), demands)
  return good ? 'good' : 'bad_signature'
}
