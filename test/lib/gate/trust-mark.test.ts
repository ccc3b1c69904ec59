import {expect} from 'chai'
import {hashTrust, type SignerEntry} from '../../../src/lib/gate/trust-document.ts'
import type {TrustFile} from '../../../src/lib/gate/ports.ts'
import {anna, bert, GateBench, rita, signer, stranger, trustFile} from '../../support/gate-bench.ts'
import type {ForgedKey} from '../../support/forge-keys.ts'

const first = trustFile()
const next = (signers: readonly SignerEntry[], keys: readonly ForgedKey[]): TrustFile =>
  trustFile({version: 2, prev: hashTrust(first.bytes), signers}, keys)

/** Bert's key was stolen and is taken out; the thief would rather take out anna and come in. */
const second = next([signer('anna', anna), signer('rita', rita, 'recovery')], [anna])
const fork = next(
  [signer('bert', bert), signer('mallory', stranger), signer('rita', rita, 'recovery')],
  [bert, stranger],
)

describe('the mark of the trust store', () => {
  it('moves with the first approval under a version, and keeps its hash across a restart', async () => {
    const bench = await GateBench.open({trust: [first, second]})
    expect(await bench.decide()).to.equal('allow')
    await bench.restart()
    expect([bench.nonces.trustMark, bench.nonces.trustHash]).to.deep.equal([2, hashTrust(second.bytes)])
    await bench.nonces.compact()
    await bench.restart()
    expect(bench.nonces.trustHash).to.equal(hashTrust(second.bytes))
  })

  it('keeps an older version from coming back', async () => {
    const bench = await GateBench.open({trust: [first, second]})
    await bench.decide()
    await bench.restart()
    bench.trust = [first]
    expect(await bench.decide({keys: [bert]})).to.equal('trust_error')
  })

  it('keeps a key that was taken out from writing another history of the same length', async () => {
    const unmarked = await GateBench.open({trust: [first, fork]})
    expect(await unmarked.decide({keys: [stranger]})).to.equal('allow')
    const bench = await GateBench.open({trust: [first, second]})
    await bench.decide()
    await bench.restart()
    bench.trust = [first, fork]
    expect(await bench.decide({keys: [stranger]})).to.equal('trust_error')
  })

  it('without a hash, as older records have it, still counts versions', async () => {
    const bench = await GateBench.open({trust: [first, second]})
    await bench.nonces.advance({trust: 2})
    await bench.restart()
    expect([bench.nonces.trustMark, bench.nonces.trustHash]).to.deep.equal([2, undefined])
    expect(await bench.decide()).to.equal('allow')
  })
})
