import {expect} from 'chai'
import {fingerprintKey} from '../../../src/lib/gate/fingerprint.ts'
import {judgeSignature} from '../../../src/lib/gate/judge-signature.ts'
import {forgeKey} from '../../support/forge-keys.ts'
import {forgeSshsig, type SigningChoice} from '../../support/sshsig-forge.ts'

const NAMESPACE = 'test@felhom'
const BYTES = Buffer.from('what was signed')

describe('a signature that was handed over', () => {
  const key = forgeKey('ed25519', 'anna')
  const security = forgeKey('sk-ed25519', 'anna')
  const judge = (armoured: string): unknown => judgeSignature(armoured, NAMESPACE, BYTES)
  const sign = (who: typeof key, choice: SigningChoice = {}, bytes: Uint8Array = BYTES): string =>
    forgeSshsig(who, bytes, {namespace: NAMESPACE, ...choice})

  it('is good when it is over these bytes and for this; it names its key', () => {
    for (const who of [key, security])
      expect(judge(sign(who))).to.deep.equal({keyBlob: who.blob, fingerprint: fingerprintKey(who.blob)})
  })

  it('is told apart from one that cannot be read, one for something else, and one over other bytes', () => {
    expect(judge('nothing')).to.deep.equal({
      problem: 'the signature cannot be read: its armour is not whole',
    })
    expect(judge(sign(key, {namespace: 'file'}))).to.deep.equal({
      problem: 'the signature is for file, not test@felhom',
    })
    expect(judge(sign(key, {}, Buffer.from('else')))).to.deep.equal({
      problem: 'the signature is over other bytes',
    })
  })

  it('of a security key may lack a touch, or be of a key that is not for SSH', () => {
    expect(judge(sign(security, {flags: 0}))).to.deep.equal({
      problem: 'the signature is over other bytes, or it was made without a touch',
    })
    const web = forgeKey('sk-ed25519', 'anna', {application: 'https://example.com'})
    expect(judge(sign(web))).to.deep.equal({
      problem: 'the security key is enrolled for https://example.com, and only those of ssh: sign here',
    })
  })

  it('does not hide an error that is none of the signature', () => {
    expect(() => judge(undefined as unknown as string)).to.throw(TypeError)
  })
})
