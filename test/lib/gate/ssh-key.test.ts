// Public keys: one form each, weak ones never pinned, and read by two readers on their way into the trust store.
import {expect} from 'chai'
import {fingerprintKey} from '../../../src/lib/gate/fingerprint.ts'
import {ingestKey} from '../../../src/lib/gate/ingest-key.ts'
import {readKeyLine} from '../../../src/lib/gate/key-line.ts'
import {readSshKey} from '../../../src/lib/gate/ssh-key.ts'
import {Malformed} from '../../../src/lib/gate/ssh-wire.ts'
import {WeakKey} from '../../../src/lib/gate/weak-keys.ts'
import {forgeKey, KEY_KINDS} from '../../support/forge-keys.ts'
import {FILE_KEY_KINDS, realKey, runSshKeygen} from '../../support/gate-keys.ts'
import {seededBytes, toBytes} from '../../support/seeded-numbers.ts'
import {wireString} from '../../support/wire-string.ts'

const blobOf = (...parts: readonly (Buffer | string)[]): Buffer =>
  Buffer.concat(parts.map((part) => wireString(part)))
const lineOf = (type: string, blob: Buffer): string => `${type} ${blob.toString('base64')}`
const nextLetter = (text: string): string => String.fromCharCode(text.charCodeAt(0) + 1)
const POINT = seededBytes('any', 32)
const P256 = forgeKey('ecdsa-256', 'key').blob.subarray(-65)
const ODD = Buffer.concat([Buffer.from([0, 0x80]), seededBytes('n', 382), Buffer.from([1])])

describe('a public key', () => {
  describe('of ssh-keygen', () => {
    for (const kind of FILE_KEY_KINDS) {
      it(`of the kind ${kind} is read, with the fingerprint that ssh-keygen prints`, () => {
        const {file, line} = realKey(kind)
        const read = ingestKey(line)
        expect(runSshKeygen(['-l', '-f', `${file}.pub`])).to.contain(` ${read.fingerprint} `)
        expect(`${read.line} ${read.comment}\n`).to.equal(line)
        expect(fingerprintKey(read.blob)).to.equal(read.fingerprint)
      }).timeout(30_000)
    }
  })

  describe('made by hand', () => {
    for (const kind of KEY_KINDS) {
      it(`of the kind ${kind} is read, and no cut or lengthened one is`, () => {
        const {blob, line, algorithm} = forgeKey(kind, 'key')
        expect(ingestKey(line).key.algorithm).to.equal(algorithm)
        expect(() => readSshKey(Buffer.concat([blob, Buffer.alloc(1)]))).to.throw(Malformed)
        expect(() => readSshKey(Buffer.concat([blob, blobOf('')]))).to.throw(Malformed)
        for (let length = 0; length < Math.min(blob.length, 150); length++) {
          expect(() => readSshKey(blob.subarray(0, length)), `${length} bytes`).to.throw(Malformed)
        }
      })
    }
    const malformed: Record<string, Buffer> = {
      'ed25519 with 33 bytes': blobOf('ssh-ed25519', Buffer.alloc(33, 1)),
      'ed25519 with 31 bytes': blobOf('ssh-ed25519', Buffer.alloc(31, 1)),
      'ed25519 with an application': blobOf('ssh-ed25519', POINT, 'ssh:'),
      'sk-ssh-ed25519 without an application': blobOf('sk-ssh-ed25519@openssh.com', POINT),
      'sk-ecdsa without an application': blobOf('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', P256),
      'sk-ecdsa of another curve': blobOf('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp384', P256, 'ssh:'),
      'ecdsa of another curve than it says': blobOf('ecdsa-sha2-nistp384', 'nistp256', P256),
      'ecdsa whose curve is not named again': blobOf('ecdsa-sha2-nistp256', '', P256),
      'ecdsa that is no point': blobOf('ecdsa-sha2-nistp256', 'nistp256', flip(P256, 40)),
      'ecdsa beyond its field': blobOf('ecdsa-sha2-nistp256', 'nistp256', fill(P256, 1, 0xff)),
      'ecdsa at infinity': blobOf('ecdsa-sha2-nistp256', 'nistp256', Buffer.from([0])),
      'ecdsa in short form': blobOf(
        'ecdsa-sha2-nistp256',
        'nistp256',
        Buffer.concat([Buffer.from([2 + ((P256[64] ?? 0) & 1)]), P256.subarray(1, 33)]),
      ),
      'ecdsa in hybrid form': blobOf(
        'ecdsa-sha2-nistp256',
        'nistp256',
        fill(P256, 0, 6 + ((P256[64] ?? 0) & 1), 1),
      ),
      'ecdsa of a curve that is not supported': blobOf('ecdsa-sha2-nistp192', 'nistp192', P256),
      'rsa of more than 16,384 bits': blobOf('ssh-rsa', toBytes(65537n), Buffer.alloc(2049, 0x7f)),
      'rsa with a negative modulus': blobOf('ssh-rsa', toBytes(65537n), Buffer.alloc(384, 0xff)),
      'rsa with a zero too many': blobOf('ssh-rsa', toBytes(65537n), Buffer.concat([Buffer.alloc(1), ODD])),
      'rsa with a zero before its exponent': blobOf('ssh-rsa', toBytes(65537n, 4), ODD),
      'rsa with the exponent zero': blobOf('ssh-rsa', '', ODD),
      'rsa with the modulus zero': blobOf('ssh-rsa', toBytes(65537n), ''),
      dsa: blobOf('ssh-dss', ODD, ODD, ODD, ODD),
      'an ed25519 certificate': blobOf('ssh-ed25519-cert-v01@openssh.com', POINT, POINT),
      'a security-key certificate': blobOf('sk-ssh-ed25519-cert-v01@openssh.com', POINT, POINT, 'ssh:'),
      'a webauthn key': blobOf('webauthn-sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', P256, 'ssh:'),
      'a name with a NUL': blobOf('ssh-ed25519\0', POINT),
      'a name with a space': blobOf('ssh-ed25519 ', POINT),
      'a name with a control character': blobOf('ssh-ed25519\n', POINT),
      'a name of 65 characters': blobOf('s'.repeat(65), POINT),
      'a name in capitals': blobOf('SSH-ED25519', POINT),
      'no name': blobOf('', POINT),
      nothing: Buffer.alloc(0),
    }
    for (const [title, blob] of Object.entries(malformed)) {
      it(`as ${title} is malformed`, () => {
        expect(() => readSshKey(blob))
          .to.throw(Malformed)
          .that.is.not.instanceOf(WeakKey)
      })
    }
  })

  describe('on its line', () => {
    const {line} = forgeKey('ed25519', 'key')
    const [type = '', base64 = ''] = line.split(' ')
    it('may have a comment and an end of line', () => {
      expect(readKeyLine(line).comment).to.equal('')
      expect(readKeyLine(`${line}\n`).line).to.equal(line)
      expect(readKeyLine(`${line} Ágnes, work laptop\n`).comment).to.equal('Ágnes, work laptop')
    })
    const lines: Record<string, string> = {
      'with options in front': `restrict ${line}`,
      'with two spaces': `${type}  ${base64}`,
      'with CRLF': `${line}\r\n`,
      'with a second line': `${line}\n${line}`,
      'with a control character in the comment': `${line} a\u001b[2J`,
      'with a right-to-left mark in the comment': `${line} a\u202eb`,
      'without its type': base64,
      'without its key': type,
      'with another type': `ssh-rsa ${base64}`,
      'with stray bits': forgeKey('ecdsa-256', 'key').line.replace(/.=$/, (end) => `${nextLetter(end)}=`),
      'with padding too many': `${line}==`,
      'with junk': line.replace(' AAAA', ' AA!AA'),
      'of a certificate': lineOf(
        'ssh-ed25519-cert-v01@openssh.com',
        blobOf('ssh-ed25519-cert-v01@openssh.com', POINT, POINT),
      ),
      'of 100 KiB': `${line} ${'c'.repeat(100_000)}`,
      empty: '',
    }
    for (const [title, text] of Object.entries(lines)) {
      it(`${title} is malformed`, () => {
        for (const read of [readKeyLine, ingestKey]) {
          expect(() => read(text))
            .to.throw(Malformed)
            .that.is.not.instanceOf(WeakKey)
        }
      })
    }
  })

  describe('that is weak is not pinned', () => {
    const rsa = (exponent: Buffer, modulus: Buffer): string =>
      lineOf('ssh-rsa', blobOf('ssh-rsa', exponent, modulus))
    const weak: Record<string, string> = {
      'RSA of 2048 bits': forgeKey('rsa', 'key', {rsaBits: 2048}).line,
      'RSA of 3071 bits': rsa(toBytes(65537n), Buffer.concat([Buffer.from([0x40]), ODD.subarray(2)])),
      'RSA with an even modulus': rsa(
        toBytes(65537n),
        Buffer.concat([ODD.subarray(0, -1), Buffer.from([2])]),
      ),
      'RSA with the exponent 3': rsa(Buffer.from([3]), ODD),
      'RSA with the exponent 65535': rsa(toBytes(65535n, 3), ODD),
      'RSA with the exponent 65538': rsa(toBytes(65538n), ODD),
      'RSA with the exponent 1': rsa(Buffer.from([1]), ODD),
      'RSA with an exponent of 65 bits': rsa(toBytes(2n ** 64n + 1n), ODD),
    }
    for (const [title, text] of Object.entries(weak)) {
      it(title, () => {
        expect(() => readKeyLine(text)).to.throw(WeakKey)
      })
    }
    it('but RSA of 3072 bits with the exponent 65537 or 65539 is', () => {
      for (const exponent of [65537n, 65539n]) readKeyLine(rsa(toBytes(exponent), ODD))
    })

    /** Little-endian, as they are written; the last two by more than the field. */
    const points: Record<string, string> = {
      'the neutral point': `01${'00'.repeat(31)}`,
      'the point of order 2': `ec${'ff'.repeat(30)}7f`,
      'a point of order 4': '00'.repeat(32),
      'the other point of order 4': `${'00'.repeat(31)}80`,
      'a point of order 8': 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      'a second point of order 8': 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
      'a third point of order 8': '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      'a fourth point of order 8': '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
      'the neutral point with a sign': `01${'00'.repeat(30)}80`,
      'the point of order 2 with a sign': 'ec' + 'ff'.repeat(31),
      'the neutral point beyond the field': `ee${'ff'.repeat(30)}7f`,
      'zero beyond the field': `ed${'ff'.repeat(30)}7f`,
      'a good point beyond the field': `f0${'ff'.repeat(30)}7f`,
      'what is no point': `02${'00'.repeat(31)}`,
    }
    for (const [title, hex] of Object.entries(points)) {
      it(`ed25519: ${title}, of a security key too`, () => {
        const point = Buffer.from(hex, 'hex')
        const plain = lineOf('ssh-ed25519', blobOf('ssh-ed25519', point))
        const sk = 'sk-ssh-ed25519@openssh.com'
        expect(() => readKeyLine(plain)).to.throw(WeakKey)
        expect(() => readKeyLine(lineOf(sk, blobOf(sk, point, 'ssh:')))).to.throw(WeakKey)
      })
    }
    it('but every key that is made honestly is', () => {
      for (let n = 0; n < 40; n++) readKeyLine(forgeKey('ed25519', `honest ${n}`).line)
    })
  })
})

function flip(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}

function fill(bytes: Buffer, from: number, value: number, length = 32): Buffer {
  return Buffer.concat([bytes.subarray(0, from), Buffer.alloc(length, value), bytes.subarray(from + length)])
}
