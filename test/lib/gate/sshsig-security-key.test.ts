// Security keys: touched always, with their PIN where that is demanded, and enrolled for SSH.
import {expect} from 'chai'
import {wireString} from '../../support/wire-string.ts'
import {forgeKey} from '../../support/forge-keys.ts'
import {judgeSshsig} from '../../support/judge-sshsig.ts'
import {forgeSshsig, signFields} from '../../support/sshsig-forge.ts'

const MESSAGE = 'what was signed'

describe('a signature of a security key', () => {
  for (const kind of ['sk-ed25519', 'sk-ecdsa'] as const) {
    const made = forgeKey(kind, 'sshsig')
    const pinned = made.blob
    const signed = (flags: number, demands = {}): string =>
      judgeSshsig(forgeSshsig(made, MESSAGE, {flags}), pinned, MESSAGE, demands)

    it(`${kind} is good with a touch`, () => {
      expect(signed(0x01)).to.equal('good')
      expect(signed(0x05)).to.equal('good')
    })
    it(`${kind} is no good without a touch, whatever else it says`, () => {
      for (const flags of [0x00, 0x04, 0x80, 0xfe]) expect(signed(flags)).to.equal('bad_signature')
    })
    it(`${kind} is no good without its PIN where that is demanded`, () => {
      expect(signed(0x01, {userVerification: true})).to.equal('bad_signature')
      expect(signed(0x04, {userVerification: true})).to.equal('bad_signature')
      expect(signed(0x05, {userVerification: true})).to.equal('good')
    })
    it(`${kind} has its flags and its counter signed`, () => {
      const {signature} = signFields(made, MESSAGE, {flags: 0x01})
      for (const at of [-5, -1]) {
        const changed = Buffer.from(signature)
        changed[changed.length + at] = (changed.at(at) ?? 0) ^ 0x04
        const armoured = forgeSshsig(made, MESSAGE, {}, {signature: changed})
        expect(judgeSshsig(armoured, pinned, MESSAGE)).to.equal('bad_signature')
      }
    })
    it(`${kind} counts from 0 to the largest number`, () => {
      for (const counter of [0, 0xffffffff]) {
        expect(judgeSshsig(forgeSshsig(made, MESSAGE, {counter}), pinned, MESSAGE)).to.equal('good')
      }
    })
    it(`${kind} without flags or with half a counter is malformed`, () => {
      const {signature} = signFields(made, MESSAGE)
      for (const cut of [1, 4, 5]) {
        const armoured = forgeSshsig(made, MESSAGE, {}, {signature: signature.subarray(0, -cut)})
        expect(judgeSshsig(armoured, pinned, MESSAGE)).to.equal('malformed')
      }
    })
    it(`${kind} enrolled for a web site is no good`, () => {
      for (const application of ['https://example.com', 'webauthn.example', 'SSH:', 'xssh:', 'ssh']) {
        const web = forgeKey(kind, 'sshsig', {application})
        expect(judgeSshsig(forgeSshsig(web, MESSAGE), web.blob, MESSAGE), application).to.equal(
          'bad_signature',
        )
        expect(judgeSshsig(forgeSshsig(web, MESSAGE), web.blob, MESSAGE, {application})).to.equal(
          'bad_signature',
        )
      }
    })
    it(`${kind} is good for a pinned application, and for no other`, () => {
      const own = forgeKey(kind, 'sshsig', {application: 'ssh:felhom'})
      const armoured = forgeSshsig(own, MESSAGE)
      expect(judgeSshsig(armoured, own.blob, MESSAGE)).to.equal('good')
      expect(judgeSshsig(armoured, own.blob, MESSAGE, {application: 'ssh:felhom'})).to.equal('good')
      expect(judgeSshsig(armoured, own.blob, MESSAGE, {application: 'ssh:'})).to.equal('bad_signature')
      expect(judgeSshsig(armoured, own.blob, MESSAGE, {application: 'ssh:felhom2'})).to.equal('bad_signature')
    })
    it(`${kind} that signed for another application than its own is no good`, () => {
      const armoured = forgeSshsig(made, MESSAGE, {application: 'ssh:other'})
      expect(judgeSshsig(armoured, pinned, MESSAGE)).to.equal('bad_signature')
    })
    it(`${kind} with an empty or unprintable application is malformed`, () => {
      for (const application of ['', 'ssh:\0', 'ssh:\n', 'ssh:é']) {
        const odd = forgeKey(kind, 'sshsig', {application})
        expect(judgeSshsig(forgeSshsig(odd, MESSAGE), odd.blob, MESSAGE)).to.equal('malformed')
      }
    })
  }
  it('that signed as a browser does is not supported', () => {
    const made = forgeKey('sk-ecdsa', 'sshsig')
    const {signature} = signFields(made, MESSAGE)
    const webauthn = Buffer.concat([
      wireString('webauthn-sk-ecdsa-sha2-nistp256@openssh.com'),
      signature.subarray(4 + signature.readUInt32BE(0)),
      ...['https://example.com', '{}', ''].map((part) => wireString(part)),
    ])
    const armoured = forgeSshsig(made, MESSAGE, {}, {signature: webauthn})
    expect(judgeSshsig(armoured, made.blob, MESSAGE)).to.equal('malformed')
  })
})
