import {expect} from 'chai'
import type {TrustFile} from '../../../src/lib/gate/ports.ts'
import {hashTrust} from '../../../src/lib/gate/trust-document.ts'
import {loadTrust, reviewTrust, type TrustMark} from '../../../src/lib/gate/trust-load.ts'
import type {TrustProblemKind} from '../../../src/lib/gate/trust-problem.ts'
import {encodeTrustSignatures} from '../../../src/lib/gate/trust-signatures.ts'
import {createTrustSnapshot, type TrustSnapshot} from '../../../src/lib/gate/trust-snapshot.ts'
import {
  DAY_MS,
  draftVersion,
  follow,
  genesisOf,
  NOW_MS,
  operational,
  recovery,
  sealVersion,
  signTrust,
  type DraftChoice,
} from '../../support/trust-lab.ts'

const [alice, bob, carol] = [operational('alice'), operational('bob'), operational('carol')]
const [safe, vault, spare] = [recovery('safe'), recovery('vault'), recovery('spare')]
const people = [alice, bob, safe, vault]
const two = {thresholds: {default: 2, recovery: 2}}

interface Reading {
  readonly genesis?: string
  readonly nowMs?: number
  readonly mark?: TrustMark
}

function load(files: readonly TrustFile[], reading: Reading = {}): ReturnType<typeof loadTrust> {
  const [first] = files
  const {genesis = first ? hashTrust(first.bytes) : '', nowMs = NOW_MS, mark = {version: 0}} = reading
  return loadTrust(files, genesis, nowMs, mark)
}

function believe(files: readonly TrustFile[], reading: Reading = {}): TrustSnapshot {
  const read = load(files, reading)
  if ('trust' in read) return read.trust
  throw new Error(read.refusal.message)
}

function expectRefusal(
  files: readonly TrustFile[],
  kind: TrustProblemKind,
  message: RegExp = /./,
  reading: Reading = {},
): void {
  const read = load(files, reading)
  if ('trust' in read) throw new Error('it was believed')
  expect(read.refusal.code).to.equal('trust_error')
  expect(read.refusal.kind, read.refusal.message).to.equal(kind)
  expect(read.refusal.message).to.match(message)
}

const withSignatures = (file: TrustFile, armoured: readonly string[]): TrustFile => ({
  ...file,
  signatures: encodeTrustSignatures(armoured),
})

describe('the first version of the trust store', () => {
  const first = genesisOf(people, two)

  it('is believed when everybody in it has signed and its hash is pinned', () => {
    const trust = believe([first])
    expect([trust.version, trust.hash]).to.deep.equal([1, hashTrust(first.bytes)])
  })

  it('is refused when its hash is not the pinned one', () => {
    expectRefusal([first], 'genesis', /not the one/, {genesis: `sha256:${'0'.repeat(64)}`})
  })

  it('is refused when one key in it has not signed', () => {
    for (const silent of people) {
      const others = people.filter((one) => one !== silent)
      expectRefusal(
        [sealVersion(draftVersion(people, two), others)],
        'unsigned',
        new RegExp(silent.entry.principal),
      )
    }
  })

  it('is refused when it is not there', () => {
    expectRefusal([], 'missing', /^the trust store has no version 1$/)
    expectRefusal([], 'missing', /^the trust store has no version 1$/, {mark: {version: 2}})
  })

  it('is vouched for by everybody, and one that follows by a role', () => {
    const files = [first, follow(first, people, [safe, vault], two)]
    const {links} = reviewTrust(files, hashTrust(first.bytes), NOW_MS, {version: 0})
    expect(links.map(({by}) => by)).to.deep.equal(['everybody', 'recovery'])
  })

  it('is refused with a signature by a key that is not in it', () => {
    expectRefusal([sealVersion(draftVersion(people, two), [...people, carol])], 'bad_signature', /not pinned/)
  })

  it('is refused with a signature over other bytes', () => {
    const other = draftVersion(people)
    const armoured = people.map((one, index) => signTrust(index === 1 ? other : first.bytes, one))
    expectRefusal([withSignatures(first, armoured)], 'bad_signature', /bob/)
  })

  it('is refused with a signature for anything else', () => {
    for (const namespace of ['felhom-op-v1@felhom', 'git', 'file']) {
      const armoured = people.map((one) => signTrust(first.bytes, one, {namespace}))
      expectRefusal([withSignatures(first, armoured)], 'bad_signature', new RegExp(namespace))
    }
  })

  it('is refused when a key has signed twice', () => {
    const armoured = [...people, alice].map((one) => signTrust(first.bytes, one))
    expectRefusal([withSignatures(first, armoured)], 'malformed', /twice/)
  })

  it('is refused with anything in its signatures that is none', () => {
    const texts = ['', '{}', '[]', 'null', '{"v":1,"signatures":[1]}', '{"v":2,"signatures":[]}']
    for (const text of [...texts, '{"v":1,"signatures":[],"more":1}', '{"v":1,"signatures":["x"]}\n', '\xff'])
      expectRefusal([{...first, signatures: Buffer.from(text, 'latin1')}], 'malformed')
  })

  it('is refused with more signatures than there could be', () => {
    const one = 'version 1 of the trust store: '
    const filled = (count: number): TrustFile => withSignatures(first, Array<string>(count).fill('x'))
    const spaces = (length: number): TrustFile => ({...first, signatures: Buffer.alloc(length, 0x20)})
    expectRefusal([filled(65)], 'malformed', /too many/)
    expectRefusal([filled(64)], 'malformed', new RegExp(`^${one}a signature: its armour is not whole$`))
    expectRefusal([spaces(524_289)], 'malformed', /too large/)
    expectRefusal([spaces(524_288)], 'malformed', new RegExp(`^${one}the signatures are no list of texts$`))
    const loose = Buffer.from('{"v": 1,"signatures":[]}\n')
    const form = new RegExp(`^${one}the signatures are not written in the one form$`)
    expectRefusal([{...first, signatures: loose}], 'malformed', form)
  })

  it('is refused from the second at which it expires', () => {
    const file = genesisOf(people, {expiresMs: NOW_MS})
    believe([file], {nowMs: NOW_MS - 1000})
    expectRefusal([file], 'expired', /recovery role/)
  })

  it('takes a security key only with touch, and with a PIN where it is demanded', () => {
    const keyed = operational('alice', {kind: 'sk-ed25519', requireUv: true})
    const bytes = draftVersion([keyed, safe])
    const signed = (flags: number): TrustFile =>
      withSignatures({version: 1, bytes, signatures: bytes}, [
        signTrust(bytes, keyed, {flags}),
        signTrust(bytes, safe),
      ])
    believe([signed(5)])
    for (const flags of [0, 1, 4]) expectRefusal([signed(flags)], 'bad_signature', /alice/)
  })
})

describe('the next version of the trust store', () => {
  const first = genesisOf(people, two)
  const next = (
    ...args: Parameters<typeof follow> extends [unknown, ...infer R] ? R : never
  ): TrustFile[] => [first, follow(first, ...args)]

  it('is believed with the recovery threshold, whatever it changes', () => {
    const trust = believe(next([carol, spare], [safe, vault, carol, spare], {expiresMs: NOW_MS + DAY_MS}))
    expect(trust.version).to.equal(2)
    expect(trust.document.signers.map(({principal}) => principal)).to.deep.equal(['carol', 'spare'])
  })

  it('is believed with the operational threshold when operational keys come and go', () => {
    believe(next([...people, carol], [alice, bob, carol], two))
    believe(next([alice, bob, carol, safe, vault], [alice, bob, carol], two))
    believe(next([alice, carol, safe, vault], [alice, bob, carol], two))
  })

  it('lets the recovery key replace a lost one', () => {
    const lone = genesisOf([alice, safe])
    const fresh = operational('alice', {seed: 'alice found another'})
    const {document} = believe([lone, follow(lone, [fresh, safe], [safe, fresh], {revoked: [alice]})])
    expect(document.signers[0]?.keyText).to.equal(fresh.entry.keyText)
  })

  it('is refused with fewer people than the version before demands', () => {
    expectRefusal(next([...people, carol], [alice, carol], two), 'unsigned', /too few people/)
    expectRefusal(next(people, [safe], two), 'unsigned')
    expectRefusal(next(people, [], two), 'unsigned')
    expectRefusal(next(people, [alice, safe], two), 'unsigned')
  })

  it('is refused with fewer people than it demands itself', () => {
    const low = genesisOf(people)
    const raised = (signers: typeof people): TrustFile[] => [low, follow(low, people, signers, two)]
    expectRefusal(raised([safe]), 'unsigned')
    believe(raised([safe, vault]))
  })

  it('is refused when people who leave make up the number', () => {
    expectRefusal(next([alice, carol, safe, vault], [bob, alice], two), 'unsigned', /new key of carol/)
    expectRefusal(
      next([carol, operational('dora'), safe, vault], [alice, bob, carol], two),
      'unsigned',
      /dora/,
    )
    const trio = [alice, bob, carol, safe]
    const many = genesisOf(trio, {thresholds: {default: 2, recovery: 1}})
    const left = follow(many, [alice, carol, safe], [bob, alice], {thresholds: {default: 2, recovery: 1}})
    expectRefusal([many, left], 'unsigned', /1 of 2 after it/)
  })

  it('counts people, not keys', () => {
    const second = operational('alice', {seed: 'alice again'})
    const mixed = genesisOf([alice, second, bob, safe], {thresholds: {default: 2, recovery: 1}})
    const more = [alice, second, bob, carol, safe]
    const choice = {thresholds: {default: 2, recovery: 1}}
    expectRefusal([mixed, follow(mixed, more, [alice, second, carol], choice)], 'unsigned', /1 of 2 before/)
    believe([mixed, follow(mixed, more, [alice, bob, carol], choice)])
  })

  it('is refused when a new key has not signed, even with every threshold', () => {
    expectRefusal(next([...people, carol], people, two), 'unsigned', /new key of carol/)
  })

  it('is refused when a key passes to another person without its signature', () => {
    const renamed = operational('mallory', {seed: 'bob operational'})
    expectRefusal(next([alice, renamed, safe, vault], [safe, vault], two), 'unsigned', /mallory/)
  })

  it('may shorten a window without asking whose it is', () => {
    const ending = operational('bob', {notAfterMs: NOW_MS + DAY_MS})
    believe(next([alice, ending, safe, vault], [safe, vault], two))
  })

  it('takes its own threshold for rotation where there is one', () => {
    const thresholds = {default: 1, recovery: 1, 'trust.rotate_operational': 2}
    const strict = genesisOf(people, {thresholds})
    const added = [...people, carol]
    expectRefusal([strict, follow(strict, added, [alice, carol], {thresholds})], 'unsigned')
    believe([strict, follow(strict, added, [alice, bob, carol], {thresholds})])
  })

  const beyond: Record<string, TrustFile[]> = {
    'adds a recovery key': next([...people, spare], [alice, bob, spare], two),
    'removes a recovery key': next([alice, bob, safe], [alice, bob], {
      thresholds: {default: 2, recovery: 1},
    }),
    'gives a recovery key another window': next(
      [alice, bob, recovery('safe', {notAfterMs: NOW_MS + DAY_MS}), vault],
      [alice, bob],
      two,
    ),
    'lowers a threshold': next(people, [alice, bob], {thresholds: {default: 1, recovery: 2}}),
    'lowers the recovery threshold': next(people, [alice, bob], {thresholds: {default: 2, recovery: 1}}),
    'adds a threshold': next(people, [alice, bob], {
      thresholds: {default: 2, recovery: 2, 'guest.destroy': 1},
    }),
    'puts the expiry off': next(people, [alice, bob], {...two, expiresMs: NOW_MS + 400 * DAY_MS}),
    'revokes a key that was not operational': next(people, [alice, bob], {...two, revoked: [spare]}),
    'makes an operational key one of recovery': next(
      [alice, bob, recovery('alice', {seed: 'third'}), safe, vault],
      [alice, bob, recovery('alice', {seed: 'third'})],
      two,
    ),
  }
  for (const [change, files] of Object.entries(beyond)) {
    it(`is refused when the operational role ${change}`, () => {
      expectRefusal(files, 'not_permitted')
    })
  }

  it('is refused when the operational role takes a revocation back', () => {
    const second = follow(first, people, [safe, vault], {...two, revoked: [carol]})
    const choice = {...two, revoked: []}
    expectRefusal(
      [first, second, follow(second, people, [alice, bob], choice)],
      'not_permitted',
      /revocation/,
    )
    expectRefusal(
      [first, second, follow(second, [...people, carol], [alice, bob, carol], choice)],
      'not_permitted',
      /revocation/,
    )
    believe([first, second, follow(second, people, [safe, vault], choice)])
  })

  it('lets the operational role leave revocations as they are', () => {
    const second = follow(first, people, [safe, vault], {...two, revoked: [carol]})
    const dora = operational('dora')
    believe([
      first,
      second,
      follow(second, [...people, dora], [alice, bob, dora], {...two, revoked: [carol]}),
    ])
  })

  it('says what the operational role may not sign for', () => {
    const words = (choice: DraftChoice, signers = people): string => {
      const read = load(next(signers, [alice, bob], choice))
      return 'trust' in read ? 'believed' : read.refusal.message
    }
    const may = 'version 2 of the trust store: the operational role may not sign for it: '
    expect(words({thresholds: {default: 1, recovery: 2}})).to.equal(`${may}it changes thresholds`)
    expect(words({...two, expiresMs: NOW_MS + DAY_MS})).to.equal(`${may}it changes the expiry`)
    expect(words({...two, revoked: [spare]})).to.equal(`${may}it revokes a key that was not operational`)
    expect(words({thresholds: {default: 2, recovery: 1}}, [alice, bob, safe])).to.equal(
      `${may}it changes the signers of the recovery role`,
    )
  })

  it('lets the operational role revoke an operational key', () => {
    const trio = genesisOf([...people, carol], two)
    const trust = believe([trio, follow(trio, people, [alice, bob], {...two, revoked: [carol]})])
    const search = trust.findSigner(carol.key.blob, NOW_MS)
    expect('reason' in search && search.reason).to.equal('revoked')
  })

  it('is refused when it does not follow the version before', () => {
    const other = genesisOf(people)
    const words = /^version 2 of the trust store: it does not follow the version before it$/
    expectRefusal([first, follow(other, people, [safe, vault], two)], 'chain', words)
    expectRefusal([first, first], 'chain')
    const skipped = sealVersion(draftVersion(people, {...two, version: 3}, first), [safe, vault], 2)
    expectRefusal([first, skipped], 'chain', /calls itself version 3/)
    expectRefusal([first, {...follow(first, people, [safe, vault], two), version: 3}], 'chain')
  })

  it('is refused whole when a version in the middle does not hold', () => {
    const second = follow(first, [...people, carol], [alice, carol], two)
    const third = follow(second, people, [safe, vault], two)
    expectRefusal([first, second, third], 'unsigned', /version 2 of the trust store/)
  })

  it('may follow one that has expired', () => {
    const old = genesisOf(people, {expiresMs: NOW_MS - DAY_MS})
    believe([old, follow(old, people, [safe], {expiresMs: NOW_MS + DAY_MS})])
    expectRefusal(
      [old, follow(old, [...people, carol], [alice, carol], {expiresMs: NOW_MS + DAY_MS})],
      'not_permitted',
      /expiry/,
    )
  })
})

describe('what was in force before', () => {
  const ending = operational('alice', {notAfterMs: NOW_MS})
  const first = genesisOf([ending, bob, safe])
  const second = follow(first, [ending, bob, carol, safe], [ending, carol])

  it('is not rolled back', () => {
    expectRefusal([first], 'rolled_back', /version 2 was in force/, {mark: {version: 2}})
    believe([first, second], {mark: {version: 2}})
  })

  it('is not exchanged for another of the same number, where its hash was kept', () => {
    const fork = follow(first, [ending, bob, operational('mallory'), safe], [ending, operational('mallory')])
    const mark = {version: 2, hash: hashTrust(second.bytes)}
    believe([first, second], {mark})
    expectRefusal([first, fork], 'rolled_back', /another version of this number/, {mark})
  })

  it('is not judged again by windows that have ended since', () => {
    believe([first, second], {nowMs: NOW_MS + DAY_MS, mark: {version: 2}})
  })

  it('is not judged by windows either where nothing was in force yet', () => {
    believe([first, second], {nowMs: NOW_MS + DAY_MS, mark: {version: 0}})
  })

  it('does not keep a key whose window is still to come from being pinned, nor lets it count after', () => {
    const later = recovery('later', {notBeforeMs: NOW_MS + DAY_MS})
    const both = {thresholds: {default: 1, recovery: 2}}
    const added = follow(first, [ending, bob, safe, later], [safe, later], both)
    const [early, late] = [NOW_MS - 1000, NOW_MS + 2 * DAY_MS]
    expectRefusal([first, added], 'unsigned', /recovery: 1 of 1 before and 1 of 2 after it/, {
      nowMs: early,
      mark: {version: 1},
    })
    believe([first, added], {nowMs: late, mark: {version: 1}})
  })

  it('binds what comes new: a key whose window has ended signs no version', () => {
    believe([first, second], {nowMs: NOW_MS - 1000, mark: {version: 1}})
    expectRefusal([first, second], 'unsigned', /too few/, {nowMs: NOW_MS, mark: {version: 1}})
  })

  it('lets a key whose window is still to come prove that it is held', () => {
    const later = operational('dora', {notBeforeMs: NOW_MS + DAY_MS})
    const added = follow(first, [ending, bob, later, safe], [bob, later])
    believe([first, added], {mark: {version: 1}})
    const alone = follow(first, [ending, bob, later, safe], [later])
    expectRefusal([first, alone], 'unsigned', /too few/, {mark: {version: 1}})
  })
})

describe('a trust store that is believed', () => {
  const windowed = operational('alice', {notBeforeMs: NOW_MS, notAfterMs: NOW_MS + DAY_MS})
  let trust: TrustSnapshot
  beforeEach(() => {
    const thresholds = {default: 1, recovery: 1, 'guest.destroy': 2}
    trust = believe([genesisOf([windowed, bob, safe], {thresholds, revoked: [carol]})])
  })
  const reason = (blob: Buffer, nowMs = NOW_MS): string => {
    const search = trust.findSigner(blob, nowMs)
    return 'reason' in search ? search.reason : search.signer.principal
  }

  it('finds a signer by the exact bytes of the key', () => {
    expect(reason(bob.key.blob)).to.equal('bob')
    expect(reason(operational('dora').key.blob)).to.equal('unknown')
    expect(reason(Buffer.concat([bob.key.blob, Buffer.alloc(1)]))).to.equal('unknown')
  })

  it('says that a key is revoked', () => {
    expect(reason(carol.key.blob)).to.equal('revoked')
  })

  it('knows the window of a key, its last second not included', () => {
    expect(reason(windowed.key.blob, NOW_MS - 1000)).to.equal('not_yet_valid')
    expect(reason(windowed.key.blob, NOW_MS)).to.equal('alice')
    expect(reason(windowed.key.blob, NOW_MS + DAY_MS - 1000)).to.equal('alice')
    expect(reason(windowed.key.blob, NOW_MS + DAY_MS)).to.equal('no_longer_valid')
  })

  it('knows the threshold of every operation', () => {
    expect(trust.thresholdFor('guest.destroy')).to.equal(2)
    expect(trust.thresholdFor('snapshot.delete')).to.equal(1)
    expect(trust.thresholdFor('trust.rotate_recovery')).to.equal(1)
    expect(trust.thresholdFor('guest.destroy', 'recovery')).to.equal(1)
    const {document} = believe([genesisOf(people, {thresholds: {default: 1, recovery: 2}})])
    const strict = createTrustSnapshot(document, 'sha256:x')
    expect(strict.thresholdFor('snapshot.delete')).to.equal(1)
    expect(strict.thresholdFor('trust.rotate_recovery')).to.equal(2)
    expect([trust.countPeople('operational'), trust.countPeople('recovery')]).to.deep.equal([2, 1])
  })
})
