import {expect} from 'chai'
import {decodeTrust} from '../../../src/lib/gate/trust-decode.ts'
import {TrustProblem, type TrustProblemKind} from '../../../src/lib/gate/trust-problem.ts'
import {wireString} from '../../support/wire-string.ts'
import {writeCanonical} from '../../../src/lib/gate/canonical-json.ts'
import {forgeKey} from '../../support/forge-keys.ts'
import {draftVersion, operational, recovery, NOW_MS} from '../../support/trust-lab.ts'

const [alice, bob, safe] = [operational('alice'), operational('bob'), recovery('safe')]

type Json = Record<string, unknown>

const good = (): Json => JSON.parse(draftVersion([alice, bob, safe]).toString()) as Json
const signersOf = (value: Json): Json[] => value['signers'] as Json[]

function encode(change: (value: Json) => void): Buffer {
  const value = good()
  change(value)
  return Buffer.from(writeCanonical(value as never))
}

function expectRefusal(bytes: Uint8Array, kind: TrustProblemKind, message: RegExp = /./): void {
  try {
    decodeTrust(bytes)
  } catch (error) {
    expect(error).to.be.instanceOf(TrustProblem)
    const problem = error as TrustProblem
    expect(problem.kind, problem.message).to.equal(kind)
    expect(problem.message).to.match(message)
    return
  }
  throw new Error('it was read')
}

const changed =
  (field: string, value: unknown) =>
  (file: Json): void => {
    file[field] = value
  }
const changedSigner =
  (field: string, value: unknown) =>
  (file: Json): void => {
    const [first] = signersOf(file)
    if (first) first[field] = value
  }

describe('a version of the trust store', () => {
  it('is read with its keys parsed and its times as numbers', () => {
    const until = operational('carol', {notBeforeMs: NOW_MS - 1000, notAfterMs: NOW_MS})
    const document = decodeTrust(
      draftVersion([alice, until, safe], {thresholds: {default: 1, recovery: 1, 'guest.destroy': 2}}),
    )
    expect(document.version).to.equal(1)
    expect(document.prev).to.equal(undefined)
    expect(document.thresholds).to.deep.equal({default: 1, recovery: 1, 'guest.destroy': 2})
    const [first, second] = document.signers
    expect(first?.keyBlob.equals(alice.key.blob)).to.equal(true)
    expect(first?.key.kind).to.equal('ed25519')
    expect(first?.fingerprint).to.match(/^SHA256:[A-Za-z0-9+/]{43}$/)
    expect([second?.notBeforeMs, second?.notAfterMs]).to.deep.equal([NOW_MS - 1000, NOW_MS])
  })

  it('takes keys of every kind', () => {
    for (const kind of ['ecdsa-256', 'ecdsa-384', 'ecdsa-521', 'sk-ed25519', 'sk-ecdsa'] as const) {
      const {signers} = decodeTrust(draftVersion([operational('alice', {kind}), safe]))
      expect(signers[0]?.key.algorithm).to.equal(forgeKey(kind, 'alice operational').algorithm)
    }
  })

  it('keeps what it demands of a security key', () => {
    const keyed = operational('alice', {kind: 'sk-ed25519', requireUv: true, application: 'ssh:'})
    const [signer] = decodeTrust(draftVersion([keyed, safe])).signers
    expect(signer?.demands).to.deep.equal({userVerification: true, application: 'ssh:'})
  })

  const malformed: Record<string, (file: Json) => void> = {
    'an unknown field': changed('extra', 1),
    'a field too few': (file) => delete file['revoked'],
    'version 0': changed('version', 0),
    'a version as text': changed('version', '1'),
    'a first version that names one before it': changed('prev', `sha256:${'0'.repeat(64)}`),
    'a time with an offset': changed('expires', '2027-01-01T00:00:00+02:00'),
    'the 30th of February': changed('expires', '2027-02-30T00:00:00Z'),
    'thresholds as a list': changed('thresholds', [1]),
    'no threshold for the recovery role': changed('thresholds', {default: 1}),
    'no default threshold': changed('thresholds', {recovery: 1}),
    'a threshold of an unknown operation': changed('thresholds', {default: 1, recovery: 1, 'guest.eat': 1}),
    'a second threshold of the recovery role': changed('thresholds', {
      default: 1,
      recovery: 1,
      'trust.rotate_recovery': 1,
    }),
    'a threshold as text': changed('thresholds', {default: '1', recovery: 1}),
    'signers as an object': changed('signers', {}),
    'a revoked key that is none': changed('revoked', ['ssh-ed25519 AAAA']),
    'a revoked key that is a number': changed('revoked', [1]),
    'an unknown field of a signer': changedSigner('admin', true),
    'a signer without a window': (file) => delete signersOf(file)[0]?.['not_after'],
    'a role of its own': changedSigner('role', 'root'),
    'a principal in capitals': changedSigner('principal', 'Alice'),
    'a principal with a wildcard': changedSigner('principal', 'al*'),
    'a principal with a comma': changedSigner('principal', 'alice,bob'),
    'an empty principal': changedSigner('principal', ''),
    'a principal of 65 letters': changedSigner('principal', 'a'.repeat(65)),
    'a key with a comment': changedSigner('key', `${alice.key.line} alice`),
    'a key with an end of line': changedSigner('key', `${alice.key.line}\n`),
    'a key under the name of another type': changedSigner(
      'key',
      alice.key.line.replace('ssh-ed25519', 'ssh-rsa'),
    ),
    'a PIN demanded of a key that has none': changedSigner('require_uv', true),
    'an application demanded of a key that has none': changedSigner('application', 'ssh:'),
    'a demand that is no yes or no': changedSigner('require_uv', 1),
    'a window that ends before it begins': (file) => {
      changedSigner('not_before', '2027-01-01T00:00:00Z')(file)
      changedSigner('not_after', '2027-01-01T00:00:00Z')(file)
    },
  }
  for (const [name, change] of Object.entries(malformed)) {
    it(`with ${name} is malformed`, () => {
      expectRefusal(encode(change), 'malformed')
    })
  }

  it('not in canonical form is malformed', () => {
    const text = draftVersion([alice, safe]).toString()
    const reordered = JSON.stringify(Object.fromEntries(Object.entries(good()).reverse()))
    for (const other of [`${text}\n`, ` ${text}`, text.replace(':', ': '), reordered])
      expectRefusal(Buffer.from(other), 'malformed')
  })

  it('of more than 64 KiB is malformed', () => {
    expectRefusal(Buffer.alloc(65_537, 0x20), 'malformed', /^it is too large$/)
    expectRefusal(Buffer.alloc(65_536, 0x20), 'malformed', /^it is not JSON$/)
  })

  it('names the field that is not of its form', () => {
    const form = (field: string): RegExp => new RegExp(`^"${field}" is not of its form$`)
    expectRefusal(encode(changed('version', 0)), 'malformed', /^"version" is not a whole number/)
    expectRefusal(encode(changed('revoked', {})), 'malformed', /^"revoked" is no list$/)
    expectRefusal(encode(changed('signers', {})), 'malformed', /^"signers" is no list$/)
    expectRefusal(encode(changed('revoked', [1])), 'malformed', form('revoked'))
    expectRefusal(encode(changedSigner('principal', 'Al')), 'malformed', form('principal'))
    expectRefusal(encode(changedSigner('key', 1)), 'malformed', form('key'))
    const named = operational('alice', {kind: 'sk-ed25519'})
    const keyed = (file: Json): void => {
      changedSigner('key', named.key.line)(file)
      changedSigner('application', 1)(file)
    }
    expectRefusal(encode(keyed), 'malformed', form('application'))
    expectRefusal(
      encode(changedSigner('role', 'x')),
      'malformed',
      /^a role is neither operational nor recovery$/,
    )
    const second = (file: Json): void => {
      changed('version', 2)(file)
      changed('prev', 'x')(file)
    }
    expectRefusal(encode(second), 'malformed', form('prev'))
  })

  it('with a small-order key is refused as weak', () => {
    const point = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)])
    const blob = Buffer.concat([wireString('ssh-ed25519'), wireString(point)])
    expectRefusal(
      encode(changedSigner('key', `ssh-ed25519 ${blob.toString('base64')}`)),
      'weak_key',
      /small order/,
    )
  })

  it('with an RSA key of 2048 bits is refused as weak', () => {
    const {line} = forgeKey('rsa', 'short', {rsaBits: 2048})
    expectRefusal(encode(changedSigner('key', line)), 'weak_key', /2048 bits/)
  })

  it('with the same key twice is refused, whosever it is', () => {
    const twice = [operational('alice'), operational('bob', {seed: 'alice operational'}), safe]
    expectRefusal(draftVersion(twice), 'duplicate_key')
    const bothRoles = [alice, recovery('safe', {seed: 'alice operational'})]
    expectRefusal(draftVersion(bothRoles), 'duplicate_key')
  })

  it('with a key both pinned and revoked is refused', () => {
    expectRefusal(draftVersion([alice, safe], {revoked: [alice]}), 'duplicate_key')
  })

  it('in which a role is held by nobody is refused', () => {
    expectRefusal(draftVersion([alice, bob]), 'role_empty', /recovery/)
    expectRefusal(draftVersion([safe]), 'role_empty', /operational/)
  })

  it('with a threshold of 0 or less is refused', () => {
    for (const count of [0, -1]) {
      expectRefusal(draftVersion([alice, safe], {thresholds: {default: count, recovery: 1}}), 'threshold')
      expectRefusal(draftVersion([alice, safe], {thresholds: {default: 1, recovery: count}}), 'threshold')
      const one = {default: 1, recovery: 1, 'guest.destroy': count}
      expectRefusal(draftVersion([alice, safe], {thresholds: one}), 'threshold')
    }
  })

  it('with a threshold above the number of people is refused, however many keys they have', () => {
    const second = operational('alice', {seed: 'alice again'})
    expectRefusal(draftVersion([alice, second, safe], {thresholds: {default: 2, recovery: 1}}), 'threshold')
    decodeTrust(draftVersion([alice, bob, safe], {thresholds: {default: 2, recovery: 1}}))
    expectRefusal(draftVersion([alice, bob, safe], {thresholds: {default: 1, recovery: 2}}), 'threshold')
    const destroy = {default: 1, recovery: 1, 'guest.destroy': 3}
    expectRefusal(
      draftVersion([alice, bob, safe], {thresholds: destroy}),
      'threshold',
      /^the threshold guest\.destroy is 3, and the role operational is held by 2 people$/,
    )
    expectRefusal(
      draftVersion([alice, bob, safe], {thresholds: {default: 1, recovery: 2}}),
      'threshold',
      /^the threshold recovery is 2, and the role recovery is held by 1 person$/,
    )
  })
})
