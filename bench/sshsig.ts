// Reading and verifying a signature of an operator against the bare verification that is inside.
import {createPrivateKey, createPublicKey, sign, verify} from 'node:crypto'
import {OPERATION_NAMESPACE} from '../src/lib/gate/namespaces.ts'
import {isSignedBy, readSshSignature, signedBytes, wrapArmour} from '../src/lib/gate/sshsig.ts'
import {wireString} from '../src/lib/gate/ssh-wire.ts'
import {compareRounds, type Outcome} from './harness.ts'

/** Short, so that a noisy machine disturbs both alike. */
const TIMES = 100
/** What stands before the 32 secret bytes in PKCS #8. */
const ED25519_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex')

export async function benchSshsig(rounds: number): Promise<Outcome[]> {
  const der = Buffer.concat([ED25519_HEADER, Buffer.alloc(32, 7)])
  const privateKey = createPrivateKey({key: der, format: 'der', type: 'pkcs8'})
  const publicKey = createPublicKey(privateKey)
  const message = Buffer.alloc(900, 'a statement ')
  const signed = signedBytes(OPERATION_NAMESPACE, 'sha512', message)
  const signature = sign(null, signed, privateKey)
  const armoured = wrap(Buffer.from(publicKey.export({format: 'jwk'}).x ?? '', 'base64url'), signature)
  const pinned = readSshSignature(armoured).key
  const result = await compareRounds(
    rounds * 30,
    {
      bare: () => perSecond(() => verify(null, signed, publicKey, signature)),
      strict: () => perSecond(() => isSignedBy(pinned, readSshSignature(armoured), message)),
    },
    'bare',
  )
  const [strict, bare] = [result.strict.median, result.bare.median].map((each) => each.toFixed(0))
  return [
    {
      metric: 'SSHSIG parse + verify, ed25519',
      value: result.strict.ratio,
      goal: 0.75,
      better: 'larger',
      detail: `${strict ?? ''} signatures/s against ${bare ?? ''} of crypto.verify`,
    },
  ]
}

function wrap(point: Buffer, signature: Buffer): string {
  const pack = (...parts: readonly (Buffer | string)[]): Buffer =>
    Buffer.concat(parts.map((part) => wireString(part)))
  const key = pack('ssh-ed25519', point)
  const fields = pack(key, OPERATION_NAMESPACE, '', 'sha512', pack('ssh-ed25519', signature))
  return wrapArmour(Buffer.concat([Buffer.from('SSHSIG\0\0\0\x01'), fields]))
}

function perSecond(check: () => boolean): number {
  const started = performance.now()
  for (let n = 0; n < TIMES; n++) if (!check()) throw new Error('a good signature was refused')
  return TIMES / ((performance.now() - started) / 1000)
}
