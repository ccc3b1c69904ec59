import {expect} from 'chai'
import fc from 'fast-check'
import type {TrustFile} from '../../../src/lib/gate/ports.ts'
import {decodeTrust} from '../../../src/lib/gate/trust-decode.ts'
import {countPeople, hashTrust, type TrustDocument} from '../../../src/lib/gate/trust-document.ts'
import {loadTrust} from '../../../src/lib/gate/trust-load.ts'
import {
  draftVersion,
  genesisOf,
  NOW_MS,
  person,
  sealVersion,
  type TrustPerson,
} from '../../support/trust-lab.ts'

/** Nine keys of six people, some of them in both roles: enough for every confusion. */
const CAST: readonly TrustPerson[] = [
  person('alice', 'operational'),
  person('alice', 'operational', {seed: 'alice two'}),
  person('bob', 'operational'),
  person('carol', 'operational'),
  person('safe', 'operational', {seed: 'safe as operator'}),
  person('safe', 'recovery'),
  person('vault', 'recovery'),
  person('vault', 'recovery', {seed: 'vault two'}),
  person('alice', 'recovery', {seed: 'alice in need'}),
]
const places = CAST.map((_, index) => index)
const ofRole = (role: string): number[] => places.filter((place) => CAST[place]?.entry.role === role)
const pick = (chosen: readonly number[]): TrustPerson[] =>
  chosen.flatMap((place) => CAST[place] ?? []).sort((a, b) => CAST.indexOf(a) - CAST.indexOf(b))

interface Step {
  readonly people: readonly number[]
  readonly revoked: readonly number[]
  readonly thresholds: {readonly default: number; readonly recovery: number}
  readonly expiresDays: number
  readonly signers: readonly number[]
}

const step = (signers: readonly number[]): fc.Arbitrary<Step> =>
  fc.record({
    people: fc.subarray(places, {minLength: 2}),
    revoked: fc.oneof({weight: 3, arbitrary: fc.constant([])}, fc.subarray(places, {maxLength: 2})),
    thresholds: fc.record({default: fc.integer({min: 1, max: 2}), recovery: fc.integer({min: 1, max: 2})}),
    expiresDays: fc.constantFrom(365, 365, 365, 400),
    signers: fc.oneof(fc.constant(signers), fc.subarray([...signers])),
  })

const FIRST: Step = {
  people: [0, 2, 5, 6],
  revoked: [],
  thresholds: {default: 2, recovery: 2},
  expiresDays: 365,
  signers: places,
}

/** Adds every step that the gate believes to a chain, and shows each accepted pair of versions. */
function drive(
  steps: readonly Step[],
  look: (old: TrustDocument, next: TrustDocument, signers: readonly TrustPerson[]) => void,
): number {
  const choice = ({revoked, thresholds, expiresDays}: Step): Parameters<typeof draftVersion>[1] => ({
    revoked: pick(revoked),
    thresholds,
    expiresMs: NOW_MS + expiresDays * 86_400_000,
  })
  const files: TrustFile[] = [genesisOf(pick(FIRST.people), choice(FIRST))]
  const [first] = files
  if (!first) throw new Error('there is a first version')
  for (const one of steps) {
    const last = files.at(-1) ?? first
    const bytes = draftVersion(pick(one.people), choice(one), last)
    const known = new Set([...decodeTrust(last.bytes).signers.map(({keyText}) => keyText)])
    for (const {entry} of pick(one.people)) known.add(entry.keyText)
    const signers = pick(one.signers).filter(({entry}) => known.has(entry.keyText))
    const file = sealVersion(bytes, signers, last.version + 1)
    const read = loadTrust([...files, file], hashTrust(first.bytes), NOW_MS, {version: files.length})
    if ('refusal' in read) continue
    look(decodeTrust(last.bytes), decodeTrust(bytes), signers)
    files.push(file)
  }
  return files.length - 1
}

/** Most of what is drawn keeps nearly all that must be kept, so that some of it is accepted. */
function tameStep(one: Step, keepsExpiry: boolean): Step {
  const operators = one.people.filter((place) => place < 5)
  const revoked = one.revoked.filter((place) => place < 5 && !operators.includes(place))
  const {thresholds, expiresDays} = FIRST
  return {...one, thresholds, people: [...operators, 5, 6], revoked, ...(keepsExpiry && {expiresDays})}
}

const guarded = (document: TrustDocument): unknown => ({
  recovery: document.signers
    .filter(({role}) => role === 'recovery')
    .map(({principal, keyText}) => [principal, keyText]),
  thresholds: document.thresholds,
  expires: document.expiresMs,
})

const peopleAmong = (
  document: TrustDocument,
  role: 'operational' | 'recovery',
  signers: readonly TrustPerson[],
): number =>
  countPeople(
    document.signers.filter(({keyText}) => signers.some(({entry}) => entry.keyText === keyText)),
    role,
  )

describe('any sequence of rotations', () => {
  it('leaves recovery signers, thresholds and expiry alone while only operational keys sign', () => {
    let accepted = 0
    const steps = fc.array(step(ofRole('operational')), {minLength: 1, maxLength: 12})
    fc.assert(
      fc.property(steps, (chosen) => {
        const tame = chosen.map((one, index) => (index % 3 === 2 ? one : tameStep(one, index % 3 === 0)))
        accepted += drive(tame, (old, next) => {
          expect(guarded(next)).to.deep.equal(guarded(old))
          const kept = next.revoked.map(({keyText}) => keyText)
          expect(kept).to.include.members(old.revoked.map(({keyText}) => keyText))
        })
      }),
      {numRuns: 40, seed: 5},
    )
    expect(accepted).to.be.greaterThan(20)
  })

  it('is signed by enough people of one role, before and after, and by every new key', () => {
    let accepted = 0
    fc.assert(
      fc.property(fc.array(step(places), {minLength: 1, maxLength: 8}), (chosen) => {
        accepted += drive(chosen, (old, next, signers) => {
          const suffices = (role: 'operational' | 'recovery'): boolean =>
            [old, next].every((document) => {
              const needed = role === 'recovery' ? document.thresholds.recovery : document.thresholds.default
              return peopleAmong(document, role, signers) >= needed
            })
          const isSameElsewhere = JSON.stringify(guarded(old)) === JSON.stringify(guarded(next))
          expect(suffices('recovery') || (suffices('operational') && isSameElsewhere)).to.equal(true)
          const before = old.signers.map(({keyText}) => keyText)
          for (const {keyText} of next.signers)
            if (!before.includes(keyText))
              expect(signers.some(({entry}) => entry.keyText === keyText)).to.equal(true)
          for (const role of ['operational', 'recovery'] as const)
            expect(countPeople(next.signers, role)).to.be.greaterThan(0)
        })
      }),
      {numRuns: 40, seed: 7},
    )
    expect(accepted).to.be.greaterThan(20)
  })
})
