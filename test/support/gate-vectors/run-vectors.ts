// Our implementation over the vectors: what another one would have to do as well.
import type {RefusalCode} from '../../../src/lib/model/approval.ts'
import {readKeyLine} from '../../../src/lib/gate/key-line.ts'
import {Malformed} from '../../../src/lib/gate/ssh-wire.ts'
import {readTimestamp} from '../../../src/lib/gate/timestamp.ts'
import {loadTrust, type TrustReading} from '../../../src/lib/gate/trust-load.ts'
import {verifyApproval} from '../../../src/lib/gate/verify-approval.ts'
import {WeakKey} from '../../../src/lib/gate/weak-keys.ts'
import {judgeSshsig} from '../judge-sshsig.ts'
import type {DecisionFacts, DecisionVector, SshsigVector, TrustVector} from './vector-types.ts'

/** `good`, or what it is instead. */
export function judge(read: () => unknown): string {
  try {
    read()
    return 'good'
  } catch (error) {
    if (error instanceof WeakKey) return 'weak_key'
    if (error instanceof Malformed) return 'malformed'
    throw error
  }
}

export function judgeSignatureVector(vector: SshsigVector): string {
  const {pinned, signature, message, require_uv: userVerification, application} = vector
  return judgeSshsig(signature, readKeyLine(pinned).blob, message, {
    ...(userVerification === undefined ? {} : {userVerification}),
    ...(application === undefined ? {} : {application}),
  })
}

export function readTrustVector({files, genesis, now, mark}: TrustVector, at = now): TrustReading {
  const read = files.map(({version, document, signatures}) => ({
    version,
    bytes: Buffer.from(document),
    signatures: Buffer.from(signatures),
  }))
  return loadTrust(read, genesis, readTimestamp(at), {version: mark})
}

export function decideVector(
  facts: DecisionFacts,
  vector: DecisionVector,
  stores: readonly TrustVector[],
): RefusalCode | 'allow' {
  const {host, now, action, observed, trust: name, burned, rejected, envelope} = {...facts, ...vector}
  const store = stores.find(({title}) => title === name)
  if (!store) throw new Error(`there is no trust store "${name}"`)
  const reading = readTrustVector(store, now)
  if ('refusal' in reading) return reading.refusal.code
  const nonceState = (nonce: string): 'burned' | 'rejected' | 'fresh' => {
    if (burned.includes(nonce)) return 'burned'
    return rejected.includes(nonce) ? 'rejected' : 'fresh'
  }
  const result = verifyApproval(Buffer.from(envelope), {
    ...{bound: action, observed, host, trust: reading.trust, nonceState},
    nowMs: readTimestamp(now),
  })
  return 'refusal' in result ? result.refusal.code : 'allow'
}
