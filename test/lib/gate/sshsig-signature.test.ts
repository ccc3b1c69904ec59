// The signature inside the frame: of every kind exactly one form, and numbers in their range.
import {expect} from 'chai'
import {wireString} from '../../support/wire-string.ts'
import {forgeKey, KEY_KINDS, wireNumber, type ForgedKey, type KeyKind} from '../../support/forge-keys.ts'
import {judgeSshsig} from '../../support/judge-sshsig.ts'
import {ecdsaCurves, ED25519_ORDER, toBytes, toNumber} from '../../support/seeded-numbers.ts'
import {forgeSshsig, signFields} from '../../support/sshsig-forge.ts'

const MESSAGE = 'what was signed'

/** The parts of a signature's inner blob. */
function innerOf(kind: KeyKind): {
  key: ForgedKey
  bytes: Buffer
  rest: Buffer
  name: string
} {
  const made = forgeKey(kind, 'sshsig')
  const {signature} = signFields(made, MESSAGE)
  const nameLength = signature.readUInt32BE(0)
  const start = 8 + nameLength
  const end = start + signature.readUInt32BE(4 + nameLength)
  return {
    key: made,
    name: signature.subarray(4, 4 + nameLength).toString(),
    bytes: signature.subarray(start, end),
    rest: signature.subarray(end),
  }
}

/** A signature of this kind with its bytes replaced. */
function withBytes(kind: KeyKind, change: (bytes: Buffer) => Buffer): string {
  const {key: made, name, bytes, rest} = innerOf(kind)
  const signature = Buffer.concat([wireString(name), wireString(change(bytes)), rest])
  return judgeSshsig(forgeSshsig(made, MESSAGE, {}, {signature}), made.blob, MESSAGE)
}

describe('the signature inside an SSHSIG', () => {
  it('of ed25519 with S + L is no good', () => {
    const verdict = withBytes('ed25519', (bytes) => {
      const s = toNumber(Buffer.from(bytes.subarray(32)).reverse()) + ED25519_ORDER
      return Buffer.concat([bytes.subarray(0, 32), toBytes(s, 32).reverse()])
    })
    expect(verdict).to.equal('bad_signature')
  })
  for (const kind of ['ed25519', 'sk-ed25519'] as const) {
    for (const length of [0, 63, 65]) {
      it(`of ${kind} with ${length} bytes is malformed`, () => {
        expect(withBytes(kind, () => Buffer.alloc(length, 1))).to.equal('malformed')
      })
    }
  }
  it('of RSA a byte shorter or longer than its key is malformed', () => {
    expect(withBytes('rsa', (bytes) => bytes.subarray(1))).to.equal('malformed')
    expect(withBytes('rsa', (bytes) => Buffer.concat([Buffer.alloc(1), bytes]))).to.equal('malformed')
  })
  it('of RSA as large as its modulus is no good', () => {
    expect(withBytes('rsa', (bytes) => Buffer.alloc(bytes.length, 0xff))).to.equal('bad_signature')
  })
  for (const algorithm of ['ssh-rsa', 'rsa-sha2-384', 'ssh-ed25519', 'ssh-rsa-cert-v01@openssh.com']) {
    it(`of RSA by the name ${algorithm} is malformed`, () => {
      const rsa = forgeKey('rsa', 'sshsig')
      expect(judgeSshsig(forgeSshsig(rsa, MESSAGE, {algorithm}), rsa.blob, MESSAGE)).to.equal('malformed')
    })
  }
  it('of RSA with SHA-256, said to be SHA-512, is no good', () => {
    const rsa = forgeKey('rsa', 'sshsig')
    const {signature} = signFields(rsa, MESSAGE, {algorithm: 'rsa-sha2-256'})
    const renamed = Buffer.from(signature)
    renamed.write('rsa-sha2-512', 4)
    const armoured = forgeSshsig(rsa, MESSAGE, {}, {signature: renamed})
    expect(judgeSshsig(armoured, rsa.blob, MESSAGE)).to.equal('bad_signature')
  })
  it('with bytes after it is malformed', () => {
    for (const kind of KEY_KINDS) {
      const made = forgeKey(kind, 'sshsig')
      const signature = Buffer.concat([signFields(made, MESSAGE).signature, Buffer.alloc(1)])
      const armoured = forgeSshsig(made, MESSAGE, {}, {signature})
      expect(judgeSshsig(armoured, made.blob, MESSAGE), kind).to.equal('malformed')
    }
  })
  for (const [kind, curve] of [
    ['ecdsa-256', 'nistp256'],
    ['ecdsa-384', 'nistp384'],
    ['ecdsa-521', 'nistp521'],
    ['sk-ecdsa', 'nistp256'],
  ] as const) {
    const order = ecdsaCurves[curve]?.order ?? 0n
    const width = ecdsaCurves[curve]?.bytes ?? 0
    const pair = (bytes: Buffer): [bigint, bigint] => {
      const length = bytes.readUInt32BE(0)
      return [toNumber(bytes.subarray(4, 4 + length)), toNumber(bytes.subarray(8 + length))]
    }
    const rewrite = (change: (r: bigint, s: bigint) => Buffer): string =>
      withBytes(kind, (bytes) => change(...pair(bytes)))

    it(`of ${kind} with n − s is good too: it is never told apart by its bytes`, () => {
      expect(rewrite((r, s) => Buffer.concat([wireNumber(r), wireNumber(order - s)]))).to.equal('good')
    })
    it(`of ${kind} with a number of the size of its group or more is no good`, () => {
      for (const [dr, ds] of [
        [order, 0n],
        [0n, order],
      ] as const) {
        const large = rewrite((r, s) => Buffer.concat([wireNumber(r + dr), wireNumber(s + ds)]))
        expect(large).to.be.oneOf(['bad_signature', 'malformed'])
      }
      expect(rewrite((r) => Buffer.concat([wireNumber(r), wireNumber(order)]))).to.equal('bad_signature')
    })
    it(`of ${kind} with zero, a negative, a padded or too long a number is malformed`, () => {
      const padded = (number: bigint): Buffer => wireString(toBytes(number, width + 4))
      const forms = [
        (r: bigint) => [wireNumber(r), wireString('')],
        (r: bigint) => [wireNumber(r), wireString(Buffer.alloc(1))],
        (r: bigint) => [wireNumber(r), wireString(Buffer.alloc(width, 0x80))],
        (r: bigint, s: bigint) => [padded(r), wireNumber(s)],
        (r: bigint, s: bigint) => [wireNumber(r), padded(s)],
        (r: bigint) => [wireNumber(r), wireNumber(1n << BigInt(8 * width))],
        (r: bigint) => [wireNumber(r)],
        (r: bigint, s: bigint) => [wireNumber(r), wireNumber(s), wireNumber(s)],
      ]
      for (const [n, form] of forms.entries()) {
        expect(
          rewrite((r, s) => Buffer.concat(form(r, s))),
          `form ${n}`,
        ).to.equal('malformed')
      }
    })
    it(`of ${kind} as DER or side by side is malformed`, () => {
      expect(rewrite((r, s) => Buffer.concat([toBytes(r, width), toBytes(s, width)]))).to.equal('malformed')
      expect(rewrite(() => Buffer.from('3006020101020101', 'hex'))).to.equal('malformed')
    })
    it(`of ${kind} without its algorithm in front is malformed`, () => {
      const {key: made, bytes} = innerOf(kind)
      const armoured = forgeSshsig(made, MESSAGE, {}, {signature: bytes})
      expect(judgeSshsig(armoured, made.blob, MESSAGE)).to.equal('malformed')
    })
  }
  it('of one kind under a key of another is malformed', () => {
    for (const kind of KEY_KINDS) {
      for (const other of KEY_KINDS) {
        if (kind === other) continue
        const {signature} = signFields(forgeKey(other, 'sshsig'), MESSAGE)
        const made = forgeKey(kind, 'sshsig')
        const armoured = forgeSshsig(made, MESSAGE, {}, {signature})
        expect(judgeSshsig(armoured, made.blob, MESSAGE), `${other} under ${kind}`).to.equal('malformed')
      }
    }
  })
})
