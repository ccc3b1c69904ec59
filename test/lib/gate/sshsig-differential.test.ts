// felhom against `ssh-keygen -Y verify` over mutated signatures: never accepted here where ssh-keygen refuses, and
// what felhom alone refuses is of a known kind. FELHOM_TEST_DIFFERENTIAL makes it longer, FELHOM_TEST_SEED other.
import {expect} from 'chai'
import {forgeKey, KEY_KINDS, type ForgedKey} from '../../support/forge-keys.ts'
import {explainStrictness, KNOWN_KINDS} from '../../support/explain-strictness.ts'
import {judgeSshsig} from '../../support/judge-sshsig.ts'
import {MUTATION_NAMES, mutateSshsig, type MutatedCase} from '../../support/mutate-sshsig.ts'
import {askSshKeygen} from '../../support/ssh-keygen-oracle.ts'
import {armour, packSshsig, signFields} from '../../support/sshsig-forge.ts'
import {wireString} from '../../support/wire-string.ts'
import {Random} from '../../simulation/random.ts'

const COUNT = Number(process.env['FELHOM_TEST_DIFFERENTIAL'] ?? 2000)
const SEED = Number(process.env['FELHOM_TEST_SEED'] ?? 1)

const keys: readonly ForgedKey[] = [
  ...KEY_KINDS.map((kind) => forgeKey(kind, 'differential')),
  forgeKey('ed25519', 'differential two'),
  forgeKey('sk-ed25519', 'differential', {application: 'https://example.com'}),
]

function isGood({armoured, message}: MutatedCase): boolean {
  for (const {blob} of keys) {
    const verdict = judgeSshsig(armoured, blob, message)
    if (verdict !== 'unknown_signer') return verdict === 'good'
  }
  return false
}

/** One in 256 signatures begins with a zero, which ssh-keygen also takes when it is left out. */
function shortRsa(): MutatedCase {
  const key = forgeKey('rsa', 'differential')
  for (let n = 0; ; n++) {
    const message = Buffer.from(`short ${n}`)
    const {signature, ...fields} = signFields(key, message)
    if (signature.at(-384) !== 0) continue
    const head = signature.subarray(0, -388)
    const short = Buffer.concat([head, wireString(signature.subarray(-383))])
    return {
      mutation: 'a short RSA signature',
      key,
      message,
      armoured: armour(packSshsig({...fields, signature: short})),
    }
  }
}

describe('mutated signatures', () => {
  it(`${COUNT} of them: none is accepted that ssh-keygen refuses, none refused without a known cause`, async () => {
    const random = new Random(SEED)
    const cases = [shortRsa(), ...Array.from({length: COUNT}, () => mutateSshsig(random, keys))]
    const theirs = await askSshKeygen(
      cases,
      keys.map(({line}) => line),
    )
    const wrong: unknown[] = []
    const explained = new Map<string, number>()
    let bothGood = 0
    for (const [n, one] of cases.entries()) {
      const ours = isGood(one)
      if (ours && theirs[n] === true) bothGood++
      if (ours === theirs[n]) continue
      const kinds = ours ? [] : explainStrictness(one.armoured, one.key)
      for (const kind of kinds) explained.set(kind, (explained.get(kind) ?? 0) + 1)
      if (kinds.length === 0)
        wrong.push({
          n,
          ours,
          theirs: theirs[n],
          mutation: one.mutation,
          kind: one.key.kind,
          armoured: one.armoured,
          message: one.message.toString(),
        })
    }
    expect(wrong, JSON.stringify(wrong, null, 2)).to.deep.equal([])
    expect(bothGood, 'that are good for both').to.be.greaterThan(COUNT / 20)
    expect([...explained.keys()].sort()).to.deep.equal([...KNOWN_KINDS].sort())
    expect(new Set(cases.map(({mutation}) => mutation)).size).to.equal(MUTATION_NAMES.length + 1)
  }).timeout(120_000 + COUNT * 60)
})
