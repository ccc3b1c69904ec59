import {expect} from 'chai'
import {describeBadSignature} from '../../../src/lib/gate/bad-signature.ts'
import {decodeTrust} from '../../../src/lib/gate/trust-decode.ts'
import {draftVersion, operational, recovery, type PersonChoice} from '../../support/trust-lab.ts'

describe('the words for a signature that is not taken', () => {
  const describe = (choice: PersonChoice): string => {
    const {signers} = decodeTrust(draftVersion([operational('carol', choice), recovery('safe')]))
    const carol = signers.find(({principal}) => principal === 'carol')
    if (!carol) throw new Error('she is pinned')
    return describeBadSignature(carol)
  }

  it('name the person, and of a security key what it must have been asked for', () => {
    expect(describe({})).to.equal('the signature of carol does not hold')
    expect(describe({kind: 'sk-ed25519', application: 'ssh:'})).to.equal(
      'the signature of carol does not hold, or was made without a touch',
    )
    expect(describe({kind: 'sk-ecdsa', application: 'ssh:', requireUv: true})).to.equal(
      'the signature of carol does not hold, or was made without a touch and a PIN',
    )
  })
})
