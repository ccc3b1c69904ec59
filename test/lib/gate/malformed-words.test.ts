// Why something is malformed, word for word: the operator who reads it has nothing else to go by.
import {expect} from 'chai'
import {readCanonical, writeCanonical} from '../../../src/lib/gate/canonical-json.ts'
import {decodeEnvelope} from '../../../src/lib/gate/envelope.ts'
import {readKeyLine} from '../../../src/lib/gate/key-line.ts'
import {readSshKey} from '../../../src/lib/gate/ssh-key.ts'
import {readSshSignature, wrapArmour} from '../../../src/lib/gate/sshsig.ts'
import {Malformed} from '../../../src/lib/gate/ssh-wire.ts'
import {decodeStatement} from '../../../src/lib/gate/statement.ts'
import {writeTimestamp} from '../../../src/lib/gate/timestamp.ts'
import {forgeKey, wireNumber} from '../../support/forge-keys.ts'
import {GateBench} from '../../support/gate-bench.ts'
import {seededBytes, toBytes} from '../../support/seeded-numbers.ts'
import {forgeSshsig, type SshsigFields} from '../../support/sshsig-forge.ts'
import {wireString} from '../../support/wire-string.ts'

/** What is read, and what is said of it. */
type Words = Readonly<Record<string, readonly [input: string | Buffer, words: string]>>

function tell(read: (bytes: Buffer) => unknown, words: Words): void {
  for (const [title, [input, message]] of Object.entries(words)) {
    it(`${title}: ${message}`, () => {
      expect(() => read(Buffer.from(input))).to.throw(Malformed, new RegExp(`^${escape(message)}$`))
    })
  }
}

const escape = (text: string): string => text.replaceAll(/[$().*+?[\\\]^{|}]/g, String.raw`\$&`)

describe('the words for a value', () => {
  tell(readCanonical, {
    'no JSON': ['{', 'it is not JSON'],
    'no UTF-8': [Buffer.from([0x22, 0xff, 0x22]), 'it is not UTF-8'],
    'white space': ['{ }', 'it is not in canonical form'],
    '513 values': [`[${'1,'.repeat(511)}1]`, 'it holds too many values'],
    'a fraction': ['1.5', 'a number is not a safe integer'],
    'depth 9': ['[[[[[[[[[]]]]]]]]]', 'it is nested too deeply'],
    'a key in capitals': ['{"A":1}', 'a key is not allowed'],
    'another form of a letter': ['"a\u0301"', 'a text is not in normal form'],
    'a bidi override': ['"a\u202eb"', 'a text holds characters that do not show'],
  })

  it('that has no text', () => {
    expect(() => writeCanonical(NaN)).to.throw(Malformed, 'it has no canonical form')
  })

  it('of a time that has none', () => {
    for (const atMs of [-1, Date.UTC(10_000, 0)])
      expect(() => writeTimestamp(atMs)).to.throw(Malformed, 'a time is out of range')
    expect(writeTimestamp(0)).to.equal('1970-01-01T00:00:00Z')
    expect(writeTimestamp(Date.UTC(10_000, 0) - 1)).to.equal('9999-12-31T23:59:59Z')
  })
})

describe('the words for an envelope', () => {
  const envelope = (fields: Record<string, unknown>): string =>
    JSON.stringify({v: 1, payload: 'AAAA', signatures: [], ...fields})
  tell(decodeEnvelope, {
    'too large': [envelope({}).padEnd(65_537), 'the envelope is too long'],
    'no JSON': ['{', 'the envelope is not JSON'],
    'a field too many': [envelope({more: 1}), 'it has an unknown field "more"'],
    'a field too few': ['{"v":1,"payload":"AAAA"}', 'it has no field "signatures"'],
    'another version': [envelope({v: 2}), 'the version of the envelope is not 1'],
    'a key twice': [envelope({}).replace('{', '{"v":1,'), 'the envelope can be read in two ways'],
    'no payload': [envelope({payload: ''}), 'the envelope has no payload'],
    'a loose payload': [envelope({payload: 'AB=='}), 'the payload is not plain base64'],
    'a long payload': [
      envelope({payload: Buffer.alloc(16_385).toString('base64')}),
      'the statement is too long',
    ],
    'no list': [envelope({signatures: 'x'}), 'the envelope has no list of signatures'],
    '9 signatures': [envelope({signatures: Array(9).fill('x')}), 'the envelope has too many signatures'],
    'a number': [envelope({signatures: [1]}), 'a signature is no text'],
    'a long signature': [envelope({signatures: ['x'.repeat(8193)]}), 'the signature is too long'],
    'no object': ['[]', 'it is no object'],
  })

  it('are none for a signature of 8,192 characters', () => {
    const longest = 'x'.repeat(8192)
    expect(decodeEnvelope(Buffer.from(envelope({signatures: [longest]}))).signatures).to.deep.equal([longest])
  })
})

describe('the words for a statement', () => {
  let bench: GateBench
  beforeEach(async () => {
    bench = await GateBench.open()
  })
  const read = (change: Record<string, unknown>): (() => unknown) => {
    const target = {...bench.bound().target, ...(change['target'] as object | undefined)}
    return () => decodeStatement(bench.payload({...change, target}))
  }
  for (const field of ['host', 'action', 'observed', 'nonce', 'reason']) {
    it(`name the field ${field}`, () => {
      expect(read({[field]: 1})).to.throw(Malformed, `"${field}" is not of its form`)
    })
  }
  for (const field of ['kind', 'node', 'identity']) {
    it(`name the field ${field} of the target`, () => {
      expect(read({target: {[field]: 1}})).to.throw(Malformed, `"${field}" is not of its form`)
    })
  }
  it('name what a number may be', () => {
    expect(read({trust: 0})).to.throw(Malformed, '"trust" is not a whole number from 1 to 9007199254740991')
    expect(read({target: {vmid: -1}})).to.throw(Malformed, '"vmid" is not a whole number from 0 to 999999999')
    expect(read({target: {vmid: 'x'}})).to.throw(Malformed, '"vmid" is not of its form')
    expect(read({target: {vmid: 999_999_999}})).to.not.throw()
  })
  it('say what else is wrong', () => {
    expect(read({op: 'x'})).to.throw(Malformed, '"op" is no operation that can be signed for')
    expect(read({type: 'x'})).to.throw(Malformed, 'it is not of the type felhom.op.v1')
    expect(read({iat: 'x'})).to.throw(Malformed, 'a time is not of its form')
    expect(() => decodeStatement(Buffer.alloc(16_385))).to.throw(Malformed, 'the statement is too long')
  })
})

const blobOf = (...parts: readonly (Buffer | string)[]): Buffer =>
  Buffer.concat(parts.map((part) => wireString(part)))
const P256 = forgeKey('ecdsa-256', 'key').blob.subarray(-65)
const E = toBytes(65537n)
const ODD = Buffer.concat([Buffer.from([0, 0x80]), seededBytes('n', 382), Buffer.from([1])])

describe('the words for a key', () => {
  tell(readSshKey, {
    'cut off': [Buffer.alloc(3), 'it ends too early'],
    'an odd name': [blobOf('s'.repeat(65)), 'a name is not of its form'],
    'another type': [blobOf('ssh-dss'), 'keys of the type ssh-dss are not supported'],
    '31 bytes': [blobOf('ssh-ed25519', Buffer.alloc(31)), 'an ed25519 key has 32 bytes'],
    'a tail': [blobOf('ssh-ed25519', Buffer.alloc(32), ''), 'there are bytes after its end'],
    'another curve': [
      blobOf('ecdsa-sha2-nistp256', 'nistp384', P256),
      'the curve is not the one that its algorithm names',
    ],
    'a short point': [
      blobOf('ecdsa-sha2-nistp256', 'nistp256', P256.subarray(0, -1)),
      'the point is not uncompressed',
    ],
    'no point': [
      blobOf('ecdsa-sha2-nistp256', 'nistp256', Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)])),
      'the key is not one of its kind',
    ],
    'no number': [blobOf('ssh-rsa', '', ODD), 'a number is not positive'],
    'a negative number': [blobOf('ssh-rsa', Buffer.from([0x80]), ODD), 'a number is not positive'],
    'a padded number': [blobOf('ssh-rsa', Buffer.from([0, 1]), ODD), 'a number is not in its shortest form'],
    '16,392 bits': [blobOf('ssh-rsa', E, Buffer.alloc(2049, 0x7f)), 'the RSA key is too long'],
    'no application': [
      blobOf('sk-ssh-ed25519@openssh.com', Buffer.alloc(32), ''),
      'a label is not printable text',
    ],
  })

  it('are none for RSA of 16,384 bits', () => {
    expect(readSshKey(blobOf('ssh-rsa', E, Buffer.alloc(2048, 0x7f))).kind).to.equal('rsa')
  })
})

describe('the words for a key on its line', () => {
  const {line} = forgeKey('ecdsa-256', 'key')
  const rsa = (exponent: Buffer, modulus: Buffer = ODD): string =>
    `ssh-rsa ${blobOf('ssh-rsa', exponent, modulus).toString('base64')}`
  const point = (first: number): string =>
    `ssh-ed25519 ${blobOf('ssh-ed25519', Buffer.concat([Buffer.from([first]), Buffer.alloc(31)])).toString('base64')}`
  tell((bytes) => readKeyLine(bytes.toString()), {
    'no line': ['ssh-ed25519', 'it is no line of a public SSH key'],
    'loose base64': [`${line.replace(/.=$/, '')}==`, 'the key is not plain base64'],
    'another name': [
      line.replace('ecdsa-sha2-nistp256', 'ssh-rsa'),
      'the line says ssh-rsa, the key ecdsa-sha2-nistp256',
    ],
    'no point': [point(2), 'the ed25519 key is no point of its curve, or not in its one encoding'],
    'a point of small order': [point(1), 'the ed25519 key has small order: anybody could sign in its name'],
    'a short modulus': [rsa(E, toBytes(2n ** 2046n + 1n)), 'the RSA key has 2047 bits; 3072 are the least'],
    'an even modulus': [
      rsa(E, Buffer.concat([ODD.subarray(0, -1), Buffer.from([2])])),
      'the RSA modulus is even',
    ],
    'a large exponent': [rsa(toBytes(2n ** 64n + 1n)), 'the RSA exponent is too large'],
    'an even exponent': [rsa(toBytes(65538n)), 'the RSA exponent is even'],
    'a small exponent': [rsa(Buffer.from([3])), 'the RSA exponent is less than 65537'],
  })

  it('are none for an exponent of 63 bits, and spaces around a comment are dropped', () => {
    expect(readKeyLine(rsa(toBytes(2n ** 62n + 1n))).key.kind).to.equal('rsa')
    expect(readKeyLine(rsa(wireNumber(2n ** 64n - 1n).subarray(4))).key.kind).to.equal('rsa')
    expect(readKeyLine(`${line}  anna \n`).comment).to.equal('anna')
  })
})

describe('the words for a signature', () => {
  const key = forgeKey('ed25519', 'sshsig')
  const forged = (fields: Partial<SshsigFields>, who = key): string => forgeSshsig(who, 'x', {}, fields)
  const good = forged({})
  const ecdsa = forgeKey('ecdsa-256', 'sshsig')
  const inner = (...parts: readonly (Buffer | string)[]): Partial<SshsigFields> => ({
    signature: blobOf(...parts),
  })
  const pair = (r: bigint, s: bigint): Buffer => Buffer.concat([wireNumber(r), wireNumber(s)])
  tell((bytes) => readSshSignature(bytes.toString()), {
    'too long': [good.padEnd(8193), 'the signature is too long'],
    'no end': [good.replace('END', 'end'), 'its armour is not whole'],
    'no end of line': [
      '-----BEGIN SSH SIGNATURE-----\nAAAA-----END SSH SIGNATURE-----\n',
      'its armour is not whole',
    ],
    'an odd line': [good.replace('\nU', '\n U'), 'its armour is not as ssh-keygen writes it'],
    'other magic': [forged({magic: 'SSHSIX'}), 'it is no SSH signature'],
    'version 2': [forged({version: 2}), 'its version is not 1'],
    'a reserve': [forged({reserved: 'x'}), 'its reserved field is not empty'],
    'another hash': [forged({hash: 'md5'}), 'md5 is no hash for messages'],
    'a label': [forged({namespace: '\n'}), 'a label is not printable text'],
    'another algorithm': [forged(inner('ssh-rsa', Buffer.alloc(64))), 'ssh-rsa is not for a key ssh-ed25519'],
    '63 bytes': [forged(inner('ssh-ed25519', Buffer.alloc(63))), 'the signature has 63 bytes, not 64'],
    'a large number': [
      forged(inner(ecdsa.algorithm, pair(1n, 2n ** 256n)), ecdsa),
      'a number is larger than its curve',
    ],
  })

  it('are none for what ssh-keygen writes, and nothing at all has an armour too', () => {
    expect(readSshSignature(good).signature.bytes).to.have.length(64)
    expect(wrapArmour(Buffer.alloc(0))).to.equal(
      '-----BEGIN SSH SIGNATURE-----\n\n-----END SSH SIGNATURE-----\n',
    )
  })
})
