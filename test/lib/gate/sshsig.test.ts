// Every row of what SSHSIG must be, by signatures that are good but for the one thing that the row names.
import {expect} from 'chai'
import {readSshSignature, wrapArmour} from '../../../src/lib/gate/sshsig.ts'
import {TRUST_NAMESPACE} from '../../../src/lib/gate/namespaces.ts'
import {forgeKey, KEY_KINDS} from '../../support/forge-keys.ts'
import {FILE_KEY_KINDS, realKey, signWithSshKeygen} from '../../support/gate-keys.ts'
import {judgeSshsig} from '../../support/judge-sshsig.ts'
import {armour, forgeSshsig, packSshsig, signFields, type SshsigFields} from '../../support/sshsig-forge.ts'

const MESSAGE = 'what was signed'
const key = forgeKey('ed25519', 'sshsig')
const good = forgeSshsig(key, MESSAGE)
const judge = (armoured: string): string => judgeSshsig(armoured, key.blob, MESSAGE)
const altered = (fields: Partial<SshsigFields>): string => judge(forgeSshsig(key, MESSAGE, {}, fields))

describe('SSHSIG', () => {
  describe('a good signature', () => {
    for (const kind of FILE_KEY_KINDS) {
      for (const hash of ['sha256', 'sha512'] as const) {
        it(`of ssh-keygen with a key ${kind} and ${hash} is good`, () => {
          const real = realKey(kind)
          const blob = Buffer.from(real.line.split(' ')[1] ?? '', 'base64')
          const armoured = signWithSshKeygen(real, MESSAGE, undefined, hash)
          expect(judgeSshsig(armoured, blob, MESSAGE)).to.equal('good')
          expect(judgeSshsig(armoured, blob, `${MESSAGE}\n`)).to.equal('bad_signature')
        }).timeout(30_000)
      }
    }
    for (const kind of KEY_KINDS) {
      it(`made by hand with a key ${kind} is good, and of nothing else`, () => {
        const made = forgeKey(kind, 'sshsig')
        const armoured = forgeSshsig(made, MESSAGE)
        expect(judgeSshsig(armoured, made.blob, MESSAGE)).to.equal('good')
        expect(judgeSshsig(armoured, made.blob, 'what was Signed')).to.equal('bad_signature')
        expect(judgeSshsig(armoured, forgeKey(kind, 'other', {rsaBits: 1024}).blob, MESSAGE)).to.equal(
          'unknown_signer',
        )
      })
    }
    it('of RSA is good with SHA-256 and with SHA-512', () => {
      const rsa = forgeKey('rsa', 'sshsig')
      for (const algorithm of ['rsa-sha2-256', 'rsa-sha2-512']) {
        expect(judgeSshsig(forgeSshsig(rsa, MESSAGE, {algorithm}), rsa.blob, MESSAGE)).to.equal('good')
      }
    })
    it('lacks nothing without its last end of line', () => {
      expect(judge(good.slice(0, -1))).to.equal('good')
    })
    it('shows the key, the namespace and the hash that it claims', () => {
      const read = readSshSignature(forgeSshsig(key, MESSAGE, {namespace: 'git', hash: 'sha256'}))
      expect(read).to.include({namespace: 'git', hash: 'sha256'})
      expect(read.keyBlob.equals(key.blob)).to.equal(true)
      expect(read.key.algorithm).to.equal('ssh-ed25519')
    })
  })

  describe('the frame', () => {
    for (const version of [0, 2, 0xffffffff]) {
      it(`of version ${version} is malformed`, () => {
        expect(altered({version})).to.equal('malformed')
      })
    }
    const frames: Record<string, Partial<SshsigFields>> = {
      'with another magic': {magic: 'SSHSIh'},
      'with a non-empty reserved field': {reserved: 'x'},
      'with a NUL in the namespace': {namespace: 'felhom-op-v1@felhom\0'},
      'with an empty namespace': {namespace: ''},
      'with a control character in the namespace': {namespace: 'felhom-op-v1@felhom\n'},
      'with a letter beyond ASCII in the namespace': {namespace: 'felhom-öp'},
      'with a namespace of 257 characters': {namespace: 'n'.repeat(257)},
      'with a trailing byte': {trailing: Buffer.from([0])},
      'with an unknown hash': {hash: 'sha384'},
      'with the hash md5': {hash: 'md5'},
      'with the hash SHA512 in capitals': {hash: 'SHA512'},
      'with an empty hash': {hash: ''},
      'with an empty key': {key: Buffer.alloc(0)},
      'with an empty signature': {signature: Buffer.alloc(0)},
      'with a cut key': {key: key.blob.subarray(0, -1)},
    }
    for (const [title, fields] of Object.entries(frames)) {
      it(`${title} is malformed`, () => {
        expect(altered(fields)).to.equal('malformed')
      })
    }
    it('validly signed with sha384 is malformed all the same', () => {
      expect(judge(forgeSshsig(key, MESSAGE, {hash: 'sha384'}))).to.equal('malformed')
    })
    it('cut anywhere is malformed', () => {
      const blob = packSshsig(signFields(key, MESSAGE))
      for (let length = 0; length < blob.length; length++) {
        expect(judge(armour(blob.subarray(0, length))), `${length} bytes`).to.equal('malformed')
      }
    })
    it('with a length of four thousand million is malformed', () => {
      const blob = packSshsig(signFields(key, MESSAGE))
      blob.writeUInt32BE(0xffffffff, 10)
      expect(judge(armour(blob))).to.equal('malformed')
    })
    for (const namespace of ['git', 'file', TRUST_NAMESPACE, 'felhom-op-v1@felho', 'Felhom-op-v1@felhom']) {
      it(`signed for ${namespace} is of the wrong namespace`, () => {
        expect(judge(forgeSshsig(key, MESSAGE, {namespace}))).to.equal('wrong_namespace')
      })
    }
    it('signed for git and rewritten to our namespace is no good', () => {
      const rewritten = forgeSshsig(key, MESSAGE, {namespace: 'git'}, {namespace: 'felhom-op-v1@felhom'})
      expect(judge(rewritten)).to.equal('bad_signature')
    })
    it('with the other hash named than was signed is no good', () => {
      expect(altered({hash: 'sha256'})).to.equal('bad_signature')
    })
  })

  describe('the armour', () => {
    const [begin = '', first = '', ...others] = good.split('\n')
    const rest = others.join('\n')
    const armours: Record<string, string> = {
      'with CRLF': good.replaceAll('\n', '\r\n'),
      'with text after its end': `${good}text`,
      'with a second end of line': `${good}\n`,
      'with a space after its end': `${good.slice(0, -1)} `,
      'with text before it': `text\n${good}`,
      'with a space before it': ` ${good}`,
      'with a mark of the byte order': `\ufeff${good}`,
      'with a space inside': `${begin}\n${first.slice(0, 9)} ${first.slice(9)}\n${rest}`,
      'with a trailing space on a line': `${begin}\n${first} \n${rest}`,
      'with an empty line': `${begin}\n\n${first}\n${rest}`,
      'with junk between the letters': `${begin}\n${first.slice(0, 9)}!${first.slice(9)}\n${rest}`,
      'with the letters of base64url': good.replaceAll('+', '-').replaceAll('/', '_'),
      'in lines of 76 columns': armour(packSshsig(signFields(key, MESSAGE)), 76),
      'in lines of 64 columns': armour(packSshsig(signFields(key, MESSAGE)), 64),
      'in one line': armour(packSshsig(signFields(key, MESSAGE)), 10_000),
      'in small letters': good.replace('BEGIN', 'begin'),
      'of another kind': good.replaceAll('SSH SIGNATURE', 'SSH  SIGNATURE'),
      'without its end': good.slice(0, good.indexOf('-----END')),
      'without its beginning': good.slice(good.indexOf('\n') + 1),
      twice: good + good,
      empty: '',
      'of nothing': '-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n',
      'larger than any signature': armour(Buffer.alloc(7000)),
    }
    for (const [title, armoured] of Object.entries(armours)) {
      it(`${title} is malformed`, () => {
        expect(armoured, 'it differs from the good one').not.to.equal(good)
        expect(judge(armoured)).to.equal('malformed')
      })
    }
    it('without its padding, or with bits after it, is malformed', () => {
      // Each length of namespace gives another padding; two of three have some.
      const padded = ['git', 'gits', 'gitss'].map((namespace) => forgeSshsig(key, MESSAGE, {namespace}))
      const one = padded.find((text) => /[^=]=\n-/.test(text)) ?? ''
      const two = padded.find((text) => /==\n-/.test(text)) ?? ''
      expect([judge(one), judge(two)]).to.deep.equal(['wrong_namespace', 'wrong_namespace'])
      for (const text of [one, two]) expect(judge(text.replace(/=+\n-/, '\n-'))).to.equal('malformed')
      expect(judge(two.replace('==\n-', '=\n-'))).to.equal('malformed')
      const next = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) + 1)
      for (const text of [one, two]) {
        const stray = text.replace(/(.)(=+\n-)/, (_, letter: string, tail: string) => next(letter) + tail)
        expect(judge(stray)).to.equal('malformed')
      }
    })
    it('whose last line is nothing but padding is as ssh-keygen writes it', () => {
      const found = Array.from({length: 200}, (_, n) => 'n'.repeat(n + 1))
        .map((namespace) => signWithLine(namespace))
        .find((text) => /\n=+\n-----END/.test(text))
      expect(found, 'such a signature').to.be.a('string')
      expect(judge(found ?? '')).to.equal('wrong_namespace')
    })
    const signWithLine = (namespace: string): string => forgeSshsig(key, MESSAGE, {namespace})
    it('is written as ssh-keygen writes it, for every length', () => {
      for (let length = 1; length < 300; length++) {
        const bytes = Buffer.alloc(length, 0xa5)
        expect(wrapArmour(bytes)).to.equal(armour(bytes))
      }
      const real = signWithSshKeygen(realKey(), MESSAGE)
      expect(wrapArmour(Buffer.from(real.split('\n').slice(1, -2).join(''), 'base64'))).to.equal(real)
    })
  })
})
