// Why the gate refuses, word for word: the operator decides by these words what to do next.
import {expect} from 'chai'
import {actionDigest} from '../../../src/lib/gate/digests.ts'
import type {NonceStore} from '../../../src/lib/gate/ports.ts'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'
import {
  anna,
  bert,
  DAY_MS,
  GateBench,
  HOUR_MS,
  NOW_MS,
  rita,
  showTime,
  signer,
  stranger,
  trustFile,
  type BenchOptions,
  type Draft,
  type Fields,
} from '../../support/gate-bench.ts'

async function wordsFor(draft: Draft | Uint8Array, bench: GateBench): Promise<string> {
  await bench.decide(draft)
  return bench.decisions.at(-1)?.message ?? 'allowed'
}

const at = (ms: number): string => showTime(NOW_MS + ms)
/** A log in which nothing is used, and no mark has to move. */
const MARKED: NonceStore = {
  state: () => 'fresh',
  burn: () => Promise.resolve(),
  reject: () => Promise.resolve(),
  clockMarkMs: NOW_MS,
  trustMark: 1,
  advance: () => Promise.resolve(),
}
const otherDigest = `sha256:${'0'.repeat(64)}`

describe('the words of a refusal', () => {
  type Change = (bench: GateBench) => Fields
  const target =
    (change: Fields): Change =>
    (bench) => ({target: {...bench.bound().target, ...change}})
  const STATEMENTS: Readonly<Record<string, Change>> = {
    'the approval was signed at a time that is still to come': () => ({iat: at(61_000), exp: at(HOUR_MS)}),
    'the approval is not valid yet': () => ({nbf: at(61_000)}),
    'the approval has expired': () => ({iat: at(-HOUR_MS), exp: at(-1000)}),
    'the approval is meant to last longer than 24 hours': () => ({exp: at(DAY_MS)}),
    'the approval was signed for another installation': () => ({host: 'another'}),
    'the approval is for guest.template, and this is guest.destroy': () => ({op: 'guest.template'}),
    'the approval is for another guest': target({vmid: 105}),
    'the approval is for a guest on another node': target({node: 'pve2'}),
    'the guest is another one than the approval was signed for, under the same number': target({
      identity: otherDigest,
    }),
    'the approval is for other parameters': () => ({params: {}}),
    'the approval holds the digest of another action': (bench) => ({
      action: actionDigest({...bench.bound(), params: {}}),
    }),
    'the guest was changed since the approval was signed': () => ({observed: otherDigest}),
    'the signers were changed since the approval was signed': () => ({trust: 2}),
    'the approval is malformed: "reason" is not of its form': () => ({reason: 1}),
  }
  for (const [words, change] of Object.entries(STATEMENTS)) {
    it(`of a statement: ${words}`, async () => {
      const bench = await GateBench.open()
      expect(await wordsFor({payload: bench.payload(change(bench))}, bench)).to.equal(words)
    })
  }

  const SIGNATURES: Readonly<Record<string, Draft>> = {
    'a signature is by a key that is not pinned': {keys: [stranger]},
    'a signature is not made for felhom-op-v1@felhom': {choice: {namespace: 'git'}},
    'not everybody who signed may sign for guest.destroy': {keys: [rita]},
    'the approval is malformed: its armour is not whole': {signatures: ['x']},
  }
  for (const [words, draft] of Object.entries(SIGNATURES)) {
    it(`of a signature: ${words}`, async () => {
      expect(await wordsFor(draft, await GateBench.open())).to.equal(words)
    })
  }

  const people = (...signers: readonly ReturnType<typeof signer>[]): BenchOptions => {
    const all = [...signers, signer('bert', bert), signer('rita', rita, 'recovery')]
    return {trust: [trustFile({signers: all}, [anna, bert, rita])]}
  }
  const SIGNERS: Readonly<Record<string, BenchOptions>> = {
    'the key of anna is not valid yet': people(
      signer('anna', anna, 'operational', {notBeforeMs: NOW_MS + 1000}),
    ),
    'the key of anna is no longer valid': people(signer('anna', anna, 'operational', {notAfterMs: NOW_MS})),
    '1 of 2 people have signed': {trust: [trustFile({thresholds: {default: 2, recovery: 1}})]},
    'the trust store has no version 1': {trust: []},
  }
  for (const [words, options] of Object.entries(SIGNERS)) {
    it(`of the signers: ${words}`, async () => {
      expect(await wordsFor({}, await GateBench.open(options))).to.equal(words)
    })
  }

  it('of a key that is revoked name it', async () => {
    const signers = [signer('bert', bert), signer('rita', rita, 'recovery')]
    const bench = await GateBench.open({
      trust: [trustFile({signers, revoked: [{keyText: anna.line}]}, [bert, rita])],
    })
    expect(await wordsFor({}, bench)).to.match(/^the key SHA256:\S{43} is revoked$/)
  })

  it('where nothing is signed, and where the clock is behind', async () => {
    const bench = await GateBench.open()
    await bench.ask()
    expect(bench.decisions.at(-1)?.message).to.equal(
      'it can lose data and needs the signature of an operator',
    )
    await bench.nonces.advance({clockMs: bench.nowMs + DAY_MS})
    expect(await wordsFor({}, bench)).to.equal('the clock is behind a time that it has shown before')
  })

  it('of an approval that was rejected, and of one that was used', async () => {
    const bench = await GateBench.open()
    const [first, second] = [bench.newNonce(), bench.newNonce()]
    await bench.nonces.reject(first, {statement: 'sha256:x', expMs: bench.nowMs + DAY_MS, reason: 'no'})
    expect(await wordsFor({payload: bench.payload({nonce: first})}, bench)).to.equal(
      'the approval was rejected',
    )
    await bench.nonces.burn(second, {statement: 'sha256:x', expMs: bench.nowMs + DAY_MS})
    expect(await wordsFor({payload: bench.payload({nonce: second})}, bench)).to.equal(
      'the approval was used before: it allows one thing, once',
    )
  })

  it('of a trust store that cannot be read are those of its reader', async () => {
    const bench = await GateBench.open()
    const read = () => Promise.reject(new FelhomError('trust_unsafe', 'anybody may write it'))
    const gate = bench.createGate({signing: {...bench.signing(), trust: {read}}})
    bench.lay(bench.seal())
    const verdict = await gate.authorize(bench.request())
    expect(!verdict.allowed && verdict.refusal).to.deep.equal({
      code: 'trust_error',
      message: 'anybody may write it',
    })
  })

  it('of a log that cannot be kept say which', async () => {
    const bench = await GateBench.open()
    const fail = (): Promise<never> => Promise.reject(new Error('the disk is gone'))
    const refusal = async (change: Partial<NonceStore>): Promise<unknown> => {
      const verdict = await bench.createGate({}, {...MARKED, ...change}).authorize(bench.request())
      return !verdict.allowed && verdict.refusal
    }
    bench.lay(bench.seal())
    expect(await refusal({burn: fail})).to.deep.equal({
      code: 'store_error',
      message: 'the approval could not be marked as used: the disk is gone',
    })
    expect(await refusal({trustMark: 0, advance: fail})).to.deep.equal({
      code: 'store_error',
      message: 'what was seen could not be kept: the disk is gone',
    })
  })

  it('of an audit that cannot be kept say so', async () => {
    const bench = await GateBench.open()
    const gate = bench.createGate({audit: {append: () => Promise.reject(new Error('the disk is gone'))}})
    const verdict = await gate.authorize(bench.request({type: 'start'}, {class: 'benign'}))
    expect(!verdict.allowed && verdict.refusal).to.deep.equal({
      code: 'internal_error',
      message: 'the decision could not be audited: the disk is gone',
    })
  })
})

describe('what is no refusal', () => {
  const broken = (): never => {
    throw new TypeError('a mistake of ours')
  }
  it('but a mistake, is not taken for one', async () => {
    const bench = await GateBench.open()
    bench.lay(bench.seal())
    const failure = async (change: object): Promise<unknown> => {
      const gate = bench.createGate({signing: {...bench.signing(), ...change}})
      return gate.authorize(bench.request()).then(
        () => 'decided',
        (error: unknown) => error,
      )
    }
    expect(await failure({trust: {read: broken}})).to.be.instanceOf(TypeError)
    expect(await failure({nonces: {...MARKED, state: broken}})).to.be.instanceOf(TypeError)
    expect(
      await failure({trust: {read: () => Promise.resolve([{...trustFile(), bytes: null}])}}),
    ).to.be.instanceOf(TypeError)
    expect(await failure({nonces: MARKED})).to.equal('decided')
  })
})
