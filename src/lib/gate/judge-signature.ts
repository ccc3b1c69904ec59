// A signature that was just made or handed over: is it over these very bytes, and for this? Whether its key counts
// for anything is for the trust store to say.
import {fingerprintKey} from './fingerprint.ts'
import {isSignedBy, readSshSignature, type SshSignature} from './sshsig.ts'
import {Malformed} from './ssh-wire.ts'

export type JudgedSignature =
  | {readonly keyBlob: Buffer; readonly fingerprint: string}
  /** One sentence. */
  | {readonly problem: string}

export function judgeSignature(armoured: string, namespace: string, bytes: Uint8Array): JudgedSignature {
  let signature: SshSignature
  try {
    signature = readSshSignature(armoured)
  } catch (error) {
    if (error instanceof Malformed) return {problem: `the signature cannot be read: ${error.message}`}
    throw error
  }
  if (signature.namespace !== namespace)
    return {problem: `the signature is for ${signature.namespace}, not ${namespace}`}
  if (!isSignedBy(signature.key, signature, bytes)) return {problem: describeUnsound(signature)}
  return {keyBlob: signature.keyBlob, fingerprint: fingerprintKey(signature.keyBlob)}
}

function describeUnsound({key: {application}}: SshSignature): string {
  if (application !== undefined && !application.startsWith('ssh:'))
    return `the security key is enrolled for ${application}, and only those of ssh: sign here`
  const touch = application === undefined ? '' : ', or it was made without a touch'
  return `the signature is over other bytes${touch}`
}
