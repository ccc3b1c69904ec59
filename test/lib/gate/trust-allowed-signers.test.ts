import {expect} from 'chai'
import {writeAllowedSigners, writeRevokedKeys} from '../../../src/lib/gate/trust-allowed-signers.ts'
import {decodeTrust} from '../../../src/lib/gate/trust-decode.ts'
import {DAY_MS, draftVersion, NOW_MS, operational, recovery} from '../../support/trust-lab.ts'

describe('the trust store for stock OpenSSH', () => {
  const window = {notBeforeMs: NOW_MS, notAfterMs: NOW_MS + DAY_MS}
  const [alice, bob, safe] = [operational('alice', window), operational('bob'), recovery('safe')]
  const lost = [operational('carol'), operational('dora')]

  it('is a line for each signer, with namespaces and window, under one that says who it is', () => {
    const document = decodeTrust(draftVersion([alice, bob, safe]))
    const [ofAlice, ofBob, ofSafe] = document.signers.map(({fingerprint}) => fingerprint)
    const both = 'namespaces="felhom-op-v1@felhom,felhom-trust-v1@felhom"'
    expect(writeAllowedSigners(document).split('\n')).to.deep.equal([
      '# felhom, version 1 of the trust store',
      `# operational, ${ofAlice}`,
      `alice ${both},valid-after="20260601120000Z",valid-before="20260602120000Z" ${alice.key.line}`,
      `# operational, ${ofBob}`,
      `bob ${both} ${bob.key.line}`,
      `# recovery, ${ofSafe}`,
      `safe namespaces="felhom-trust-v1@felhom" ${safe.key.line}`,
      '',
    ])
  })

  it('names the revoked keys, a line each', () => {
    const document = decodeTrust(draftVersion([bob, safe], {revoked: lost}))
    expect(writeRevokedKeys(document)).to.equal(lost.map(({key}) => `${key.line}\n`).join(''))
    expect(writeRevokedKeys(decodeTrust(draftVersion([bob, safe])))).to.equal('')
  })
})
