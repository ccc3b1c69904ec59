// The order of the steps is locked: where two things are wrong, the earlier one is told, and nothing later is even
// looked at. One row for each neighbouring pair, and a few that lie far apart.
import {expect} from 'chai'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'
import {
  anna,
  bert,
  DAY_MS,
  GateBench,
  rita,
  showTime,
  stranger,
  trustFile,
  type Draft,
  type Fields,
} from '../../support/gate-bench.ts'
import {forgeSshsig} from '../../support/sshsig-forge.ts'

/** Things that are wrong, by the step that finds them; each can be combined with those of other steps. */
interface Wrongs {
  readonly fields: Fields
  readonly draft: Draft
  readonly prepare: (bench: GateBench) => Promise<void> | void
}

const expiredTimes = (bench: GateBench): Fields => ({
  iat: showTime(bench.nowMs - DAY_MS),
  exp: showTime(bench.nowMs - 1000),
})
const TWO = {default: 2, recovery: 1}

type Step = {readonly code: string} & Partial<Omit<Wrongs, 'fields'>> & {
    readonly fields?: (bench: GateBench) => Fields | Promise<Fields>
  }

const STEPS = {
  'step 2, the clock': {
    code: 'clock_error',
    prepare: (bench) => bench.nonces.advance({clockMs: bench.nowMs + DAY_MS}),
  },
  'step 2, the trust store': {
    code: 'trust_error',
    prepare: (bench) => {
      bench.genesis = `sha256:${'0'.repeat(64)}`
      bench.gate = bench.createGate()
    },
  },
  'step 3, the form of the signature': {code: 'malformed', draft: {signatures: ['junk']}},
  'step 4, the signer': {code: 'unknown_signer', draft: {keys: [stranger]}},
  'step 5, the namespace': {code: 'wrong_namespace', draft: {choice: {namespace: 'git'}}},
  'step 7, the form of the statement': {code: 'malformed', fields: () => ({type: 'felhom.op.v2'})},
  'step 8, the time': {code: 'expired', fields: expiredTimes},
  'step 9, the host': {code: 'wrong_host', fields: () => ({host: 'another'})},
  'step 10, the nonce': {
    code: 'replay',
    fields: async (bench) => {
      const nonce = bench.newNonce()
      await bench.nonces.burn(nonce, {statement: 'sha256:x', expMs: bench.nowMs + DAY_MS})
      return {nonce}
    },
  },
  'step 11, the role': {code: 'role_denied', draft: {keys: [rita]}},
  'step 12, the binding': {code: 'binding_mismatch', fields: () => ({params: {}})},
  'step 13, the people': {
    code: 'pending_signature',
    prepare: (bench) => {
      bench.trust = [trustFile({thresholds: TWO})]
      bench.genesis = GENESIS_OF_TWO
      bench.gate = bench.createGate()
    },
  },
} as const satisfies Record<string, Step>

const GENESIS_OF_TWO = await (async () =>
  (await GateBench.open({trust: [trustFile({thresholds: TWO})]})).genesis)()

async function decideWith(steps: readonly Step[]): Promise<string> {
  const bench = await GateBench.open()
  for (const {prepare} of [...steps].reverse()) await prepare?.(bench)
  let fields: Fields = {}
  let draft: Draft = {}
  for (const step of steps) {
    fields = {...fields, ...(await step.fields?.(bench))}
    draft = {...draft, ...step.draft}
  }
  return bench.decide({payload: bench.payload(fields), ...draft})
}

/** Of the two, whoever signs can only be one. */
const clash = (a: Step, b: Step): boolean => a.draft?.keys !== undefined && b.draft?.keys !== undefined

describe('the order of the steps', () => {
  const names = Object.keys(STEPS) as (keyof typeof STEPS)[]
  for (const [index, earlier] of names.entries()) {
    it(`${earlier} alone is found`, async () => {
      expect(await decideWith([STEPS[earlier]])).to.equal(STEPS[earlier].code)
    })
    for (const later of names.slice(index + 1)) {
      if (clash(STEPS[earlier], STEPS[later])) continue
      it(`${earlier} comes before ${later}`, async () => {
        expect(await decideWith([STEPS[earlier], STEPS[later]])).to.equal(STEPS[earlier].code)
      })
    }
  }

  it('step 6, the signature, comes before the form of the statement and after the namespace', async () => {
    const bench = await GateBench.open()
    const payload = bench.payload({type: 'felhom.op.v2'})
    expect(await bench.decide({payload, signatures: [forgeSshsig(anna, 'else')]})).to.equal('bad_signature')
    const other = forgeSshsig(anna, 'else', {namespace: 'git'})
    expect(await bench.decide({payload, signatures: [other]})).to.equal('wrong_namespace')
  })

  it('step 6 looks at every signature before step 7 reads anything', async () => {
    const bench = await GateBench.open()
    const payload = Buffer.from('not JSON')
    const signatures = [forgeSshsig(anna, payload), forgeSshsig(bert, 'else')]
    expect(await bench.decide({payload, signatures})).to.equal('bad_signature')
  })

  it('step 4, the signer, comes before role and binding where the same key cannot be both', async () => {
    expect(await decideWith([STEPS['step 4, the signer'], STEPS['step 12, the binding']])).to.equal(
      'unknown_signer',
    )
  })

  it('step 1, that nobody signed, comes before the clock, the trust store and the form', async () => {
    const bench = await GateBench.open()
    await bench.nonces.advance({clockMs: bench.nowMs + DAY_MS})
    bench.trust = []
    expect(await bench.decide({keys: []})).to.equal('pending_signature')
    expect(await bench.decide({keys: [], payload: 'junk'})).to.equal('pending_signature')
    bench.files.length = 0
    expect(await bench.ask()).to.equal('pending_signature')
  })

  it('step 14, a full disk, comes after all of them', async () => {
    for (const name of names.filter(
      (name) => name !== 'step 2, the clock' && name !== 'step 10, the nonce',
    )) {
      const bench = await GateBench.open()
      const step: Step = STEPS[name]
      await step.prepare?.(bench)
      const fields = await step.fields?.(bench)
      bench.machine.onCall = () => ({error: 'ENOSPC'})
      const code = await bench.decide({payload: bench.payload(fields), ...step.draft})
      expect(code, name).to.equal(STEPS[name].code)
    }
  })

  it('does not read the guest for an approval when the trust store does not hold', async () => {
    const bench = await GateBench.open()
    bench.trust = []
    const gate = bench.createGate()
    bench.lay(bench.seal({payload: bench.payload({trust: 1})}))
    const bound = bench.bound()
    const observe = (): Promise<string> => Promise.reject(new FelhomError('unexpected', 'it was read'))
    const verdict = await gate.authorizeJob({bound, observe})
    expect(!verdict.allowed && verdict.refusal.code).to.equal('trust_error')
  })
})
