import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {chooseKeys} from '../../../../src/lib/app/gate/gate-trust-at-hand.ts'
import {draftNextVersion} from '../../../../src/lib/app/gate/gate-trust-changes.ts'
import {readNamedKey} from '../../../../src/lib/app/gate/gate-trust-key.ts'
import {parseThresholds} from '../../../../src/lib/app/gate/gate-trust-thresholds.ts'
import {parseMoment} from '../../../../src/lib/app/parse-moment.ts'
import {decodeTrust} from '../../../../src/lib/gate/trust-decode.ts'
import type {TrustDocument} from '../../../../src/lib/gate/trust-document.ts'
import {forgeKey} from '../../../support/forge-keys.ts'
import {draftVersion, NOW_MS, operational, recovery} from '../../../support/trust-lab.ts'

describe('a signer on the command line', () => {
  let dir: string

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-named-'))
  })

  afterEach(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  const write = (text: string): void => {
    writeFileSync(join(dir, 'key.pub'), text)
  }
  const read = (text: string, requireUv = false): ReturnType<typeof readNamedKey> =>
    readNamedKey(text, 'operational', {cwd: dir, requireUv})

  it('is named by the comment of the key', () => {
    write(`${forgeKey('ed25519', 'a').line} Alice@Desk\n`)
    const {entry, file} = read('key.pub')
    expect([entry.principal, entry.keyText]).to.deep.equal(['alice@desk', forgeKey('ed25519', 'a').line])
    expect(file).to.equal(join(dir, 'key.pub'))
  })

  it('is named in front of the file', () => {
    write(`${forgeKey('ed25519', 'a').line} somebody\n`)
    expect(read('alice=key.pub').entry.principal).to.equal('alice')
  })

  it('must have a name that OpenSSH takes', () => {
    write(`${forgeKey('ed25519', 'a').line}\n`)
    expect(() => read('key.pub')).to.throw(/no comment to name its person by/)
    write(`${forgeKey('ed25519', 'a').line} Alice at her desk\n`)
    expect(() => read('key.pub')).to.throw(/names nobody/)
    expect(() => read('Alice=key.pub')).to.throw(/names nobody/)
  })

  it('must have a key that may be pinned', () => {
    write('nonsense\n')
    expect(() => read('alice=key.pub')).to.throw(/cannot be pinned/)
    write(`${forgeKey('rsa', 'short', {rsaBits: 2048}).line} alice\n`)
    expect(() => read('key.pub')).to.throw(/2048 bits/)
    expect(() => read('alice=none.pub')).to.throw(/cannot be read \(ENOENT\)/)
  })

  it('has its security key pinned to the application, with a PIN where that is wanted', () => {
    write(`${forgeKey('sk-ed25519', 'a').line} alice\n`)
    expect(read('key.pub').entry).to.include({application: 'ssh:', requireUv: false})
    expect(read('key.pub', true).entry).to.include({application: 'ssh:', requireUv: true})
    write(`${forgeKey('ed25519', 'a').line} alice\n`)
    expect(read('key.pub', true).entry).to.include({application: undefined, requireUv: false})
  })

  it('cannot have a security key that was enrolled for a web site', () => {
    write(`${forgeKey('sk-ed25519', 'a', {application: 'https://example.org'}).line} alice\n`)
    expect(() => read('key.pub')).to.throw(/enrolled for https/)
  })
})

describe('the keys that sign at once', () => {
  let dir: string

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-hand-'))
  })

  afterEach(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  it('are those that are named and the new ones at hand, each once', async () => {
    const [alice, bob] = ['alice', 'bob'].map((name) => {
      writeFileSync(join(dir, `${name}.pub`), `${forgeKey('ed25519', name).line} ${name}\n`)
      return readNamedKey(`${name}.pub`, 'operational', {cwd: dir, requireUv: false})
    })
    if (!alice || !bob) throw new Error('there are two')
    writeFileSync(join(dir, 'alice'), 'a private key')
    const choose = (keys: readonly string[], signAtHand = true): Promise<string[]> =>
      chooseKeys([alice, bob], {cwd: dir, keys, signAtHand, env: {}})
    expect(await choose([])).to.deep.equal([alice.file])
    expect(await choose(['alice'])).to.deep.equal(['alice'])
    expect(await choose(['alice.pub'])).to.deep.equal(['alice.pub'])
    expect(await choose(['safe'])).to.deep.equal([alice.file, 'safe'])
    expect(await choose(['safe'], false)).to.deep.equal(['safe'])
  })
})

describe('thresholds on the command line', () => {
  it('are a number for all, or one for an operation or the recovery role', () => {
    expect(parseThresholds(['2', 'guest.destroy=3', 'recovery=1'])).to.deep.equal({
      default: 2,
      'guest.destroy': 3,
      recovery: 1,
    })
  })

  it('are refused if they are none', () => {
    for (const text of ['0', '-1', 'two', 'guest.destroy=', '=2', '1.5', '100'])
      expect(() => parseThresholds([text]), text).to.throw(/expects a number of people/)
    expect(() => parseThresholds(['guest.destory=2'])).to.throw(/no operation guest\.destory/)
    expect(() => parseThresholds(['trust.rotate_recovery=2'])).to.throw(/no operation/)
  })
})

describe('a time on the command line', () => {
  it('is a day, a time or a duration, in whole seconds', () => {
    expect(parseMoment('2027-01-31', NOW_MS)).to.deep.equal({ms: Date.parse('2027-01-31T00:00:00Z')})
    expect(parseMoment('2027-01-31T12:00:01Z', NOW_MS)).to.deep.equal({
      ms: Date.parse('2027-01-31T12:00:01Z'),
    })
    expect(parseMoment('2h', NOW_MS + 999)).to.deep.equal({ms: NOW_MS + 7_200_000})
  })

  it('is refused if there is no such time', () => {
    for (const text of ['2027-02-30', '2027-01-31T25:00:00Z', '2027-01-31T12:00:00+02:00', 'soon', '5'])
      expect(parseMoment(text, NOW_MS), text).to.have.property('expected')
  })
})

describe('changes to the trust store', () => {
  const [alice, bob, safe] = [operational('alice'), operational('bob'), recovery('safe')]
  const both = recovery('bob')
  const current: TrustDocument = decodeTrust(draftVersion([alice, bob, safe, both]))
  const hash = `sha256:${'a'.repeat(64)}`
  const change = (changes: Parameters<typeof draftNextVersion>[2]): TrustDocument =>
    decodeTrust(draftNextVersion(current, hash, changes))

  it('keep all that is not named', () => {
    const next = change({})
    expect(next).to.deep.include({version: 2, prev: hash, expiresMs: current.expiresMs})
    expect(next.signers).to.deep.equal(current.signers)
    expect(next.thresholds).to.deep.equal(current.thresholds)
  })

  it('replace a key of the same person in one step', () => {
    const fresh = operational('alice', {seed: 'fresh'})
    const next = change({revoke: ['alice'], add: [fresh.entry]})
    expect(next.signers.map(({keyText}) => keyText)).to.include(fresh.entry.keyText)
    expect(next.revoked.map(({keyText}) => keyText)).to.deep.equal([alice.entry.keyText])
  })

  it('name a key by its fingerprint where a person has one in each role', () => {
    expect(() => change({remove: ['bob']})).to.throw(/keys of both roles/)
    const fingerprint = current.signers[1]?.fingerprint ?? ''
    expect(change({remove: [fingerprint]}).signers).to.have.length(3)
  })

  it('are refused where they mean nothing', () => {
    expect(() => change({remove: ['nobody']})).to.throw(/nobody in the trust store is nobody/)
    expect(() => change({add: [operational('dora', {seed: 'alice operational'}).entry]})).to.throw(
      /pinned already/,
    )
    const revoked = decodeTrust(draftVersion([alice, safe], {revoked: [bob]}))
    expect(() => draftNextVersion(revoked, hash, {add: [bob.entry]})).to.throw(/revoked/)
  })
})
