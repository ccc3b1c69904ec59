import {expect} from 'chai'
import {loadTrust} from '../../../src/lib/gate/trust-load.ts'
import {verifyApproval, type ApprovalFacts} from '../../../src/lib/gate/verify-approval.ts'
import {GateBench, HOST} from '../../support/gate-bench.ts'

function factsOf(bench: GateBench): ApprovalFacts {
  const reading = loadTrust(bench.trust, bench.genesis, bench.nowMs, {version: 0})
  if ('refusal' in reading) throw new Error(reading.refusal.message)
  const {trust} = reading
  const nonceState = (): 'fresh' => 'fresh'
  return {bound: bench.bound(), observed: bench.observed(), host: HOST, nowMs: bench.nowMs, trust, nonceState}
}

describe('verifying an approval on its own', () => {
  it('tells what was signed, by whom, and under which nonce', async () => {
    const bench = await GateBench.open()
    const nonce = bench.newNonce()
    const result = verifyApproval(bench.seal({payload: bench.payload({nonce})}), factsOf(bench))
    if (!('statement' in result)) throw new Error(result.refusal.message)
    expect(result.statement).to.include({nonce, op: 'guest.destroy', reason: 'the customer has left'})
    expect(result.evidence).to.include({nonce, statement: result.digest})
    expect(result.evidence.signers.map(({principal}) => principal)).to.deep.equal(['anna'])
  })

  it('that nobody has signed is step 1, whoever did not look at it before', async () => {
    const bench = await GateBench.open()
    const result = verifyApproval(bench.seal({keys: []}), factsOf(bench))
    expect(result).to.include({step: 1})
    expect('refusal' in result && result.refusal.code).to.equal('pending_signature')
  })

  it('proves nobody’s signature by one that does not hold', async () => {
    const bench = await GateBench.open()
    const payload = bench.payload()
    const seal = JSON.parse(bench.seal({payload}).toString()) as {signatures: string[]}
    const result = verifyApproval(
      bench.seal({payload: bench.payload(), signatures: seal.signatures}),
      factsOf(bench),
    )
    expect(result).to.include({step: 6})
    expect(result.evidence.signers).to.deep.equal([])
    expect(result.evidence).to.not.have.property('nonce')
  })
})
