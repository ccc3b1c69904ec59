import {expect} from 'chai'
import type {TrustFile} from '../../../src/lib/gate/ports.ts'
import {decodeTrust} from '../../../src/lib/gate/trust-decode.ts'
import {hashTrust} from '../../../src/lib/gate/trust-document.ts'
import {judgeProposal, type ProposalState, type TrustHead} from '../../../src/lib/gate/trust-proposal.ts'
import {DAY_MS, follow, genesisOf, NOW_MS, operational, recovery} from '../../support/trust-lab.ts'

const people = [
  operational('alice'),
  operational('bob', {kind: 'sk-ecdsa'}),
  recovery('safe', {kind: 'ecdsa-384'}),
]
const [alice, bob, safe] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]]
const carol = operational('carol')
const first = genesisOf(people)

const headOf = (file: TrustFile): TrustHead => ({
  document: decodeTrust(file.bytes),
  hash: hashTrust(file.bytes),
})

function judge(file: TrustFile, last = first): ProposalState {
  const state = judgeProposal(headOf(last), file.bytes, file.signatures, NOW_MS)
  if ('refusal' in state) throw new Error(state.refusal.message)
  return state
}

const fingerprints = (file: TrustFile): Map<string, string> =>
  new Map(decodeTrust(file.bytes).signers.map(({principal, fingerprint}) => [principal, fingerprint]))

describe('a proposed version of the trust store', () => {
  it('wants nothing more once it is signed as a version must be', () => {
    const file = follow(first, people, [safe])
    expect(judge(file).wanting).to.deep.equal([])
    expect(judge(file).hash).to.equal(hashTrust(file.bytes))
    expect(judge(follow(first, [alice, safe], [bob, alice])).wanting).to.deep.equal([])
  })

  it('names each key that signed once, whether it was there before, is new, or both', () => {
    const {signed} = judge(follow(first, [alice, carol, safe], [alice, bob, carol]))
    expect(signed.map(({principal}) => principal)).to.deep.equal(['alice', 'bob', 'carol'])
  })

  it('wants the new key, and a threshold', () => {
    const file = follow(first, [...people, carol], [])
    const key = `a signature with the key of carol (${fingerprints(file).get('carol')})`
    const tally = 'signatures of the recovery role (0 of 1), or of the operational role (0 of 1)'
    expect(judge(file).wanting).to.deep.equal([key, tally])
    expect(judge(follow(first, [...people, carol], [safe])).wanting).to.deep.equal([key])
    expect(judge(follow(first, [...people, carol], [alice])).wanting).to.deep.equal([key])
  })

  it('wants the recovery role alone for what the operational role may not change', () => {
    const choice = {thresholds: {default: 2, recovery: 1}}
    const wanted = ['signatures of the recovery role (0 of 1); it changes thresholds']
    expect(judge(follow(first, people, [alice], choice)).wanting).to.deep.equal(wanted)
    const more = follow(first, [...people, carol], [alice, bob], choice)
    expect(judge(more).wanting).to.have.length(2).and.to.include(wanted[0])
    expect(judge(follow(first, [...people, carol], [safe], choice)).wanting).to.have.length(1)
  })

  it('tells the people before from those after it, where they differ', () => {
    const pair = genesisOf([alice, bob, safe], {thresholds: {default: 2, recovery: 1}})
    const file = follow(pair, [alice, carol, safe], [bob, carol], {thresholds: {default: 2, recovery: 1}})
    expect(judge(file, pair).wanting).to.deep.equal([
      'signatures of the recovery role (0 of 1), or of the operational role (1 of 2)',
    ])
    const full = follow(pair, [alice, carol, safe], [alice, bob], {thresholds: {default: 2, recovery: 1}})
    expect(judge(full, pair).wanting[1]).to.equal(
      'signatures of the recovery role (0 of 1), or of the operational role (2 of 2 before, 1 of 2 after the change)',
    )
  })

  it('does not count a key outside of its window', () => {
    const late = operational('late', {notBeforeMs: NOW_MS + DAY_MS})
    const base = genesisOf([alice, late, safe])
    expect(judge(follow(base, [late, safe], [late]), base).wanting).to.deep.equal([
      'signatures of the recovery role (0 of 1), or of the operational role (0 of 1)',
    ])
  })

  it('wants every key in the first version', () => {
    const state = judgeProposal(undefined, first.bytes, first.signatures, NOW_MS)
    expect('wanting' in state && state.wanting).to.deep.equal([])
    const bare = Buffer.from('{"v":1,"signatures":[]}\n')
    const unsigned = judgeProposal(undefined, first.bytes, bare, NOW_MS)
    expect('wanting' in unsigned && unsigned.wanting).to.deep.equal(
      [...fingerprints(first)].map(([name, print]) => `a signature with the key of ${name} (${print})`),
    )
  })

  it('is refused when it follows another version, or has expired', () => {
    const refusalOf = (file: TrustFile, head: TrustHead | undefined = headOf(first)): string => {
      const state = judgeProposal(head, file.bytes, file.signatures, NOW_MS)
      return 'refusal' in state ? `${state.refusal.kind}: ${state.refusal.message}` : 'none'
    }
    const second = follow(first, people, [safe])
    const behind = 'chain: it does not follow version 1, which is in force'
    expect(refusalOf(follow(second, people, [safe]))).to.equal(behind)
    expect(refusalOf(first)).to.equal(behind)
    expect(refusalOf(follow(genesisOf([alice, safe]), people, [safe]))).to.equal(behind)
    const unheaded = judgeProposal(undefined, second.bytes, second.signatures, NOW_MS)
    expect('refusal' in unheaded && unheaded.refusal.message).to.match(/follow version 0, which/)
    expect(refusalOf(follow(first, people, [safe], {expiresMs: NOW_MS}))).to.equal('expired: it has expired')
    expect(refusalOf(follow(first, people, [safe], {expiresMs: NOW_MS + 1000}))).to.equal('none')
  })
})
