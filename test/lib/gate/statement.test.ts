// Statements: one text, every field known and of its form.
import {expect} from 'chai'
import fc from 'fast-check'
import {writeCanonical} from '../../../src/lib/gate/canonical-json.ts'
import {decodeStatement, encodeStatement} from '../../../src/lib/gate/statement.ts'
import {Malformed} from '../../../src/lib/gate/ssh-wire.ts'
import {readTimestamp, writeTimestamp} from '../../../src/lib/gate/timestamp.ts'
import {SIGNED_OPERATIONS, type CanonicalValue, type Statement} from '../../../src/lib/model/approval.ts'

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`
const fields: Readonly<Record<string, CanonicalValue>> = {
  type: 'felhom.op.v1',
  host: 'Zk3vJp0Qe1yq3nT8w2b5Xg',
  op: 'guest.destroy',
  target: {kind: 'lxc', node: 'pve1', vmid: 104, identity: digest('a')},
  params: {purge: true},
  action: digest('b'),
  observed: digest('c'),
  nonce: 'AAAAAAAAAAAAAAAAAAAAAA',
  iat: '2026-11-18T06:00:00Z',
  exp: '2026-11-18T18:00:00Z',
  trust: 1,
  reason: 'no longer needed',
}
const statement: Statement = {
  host: 'Zk3vJp0Qe1yq3nT8w2b5Xg',
  op: 'guest.destroy',
  target: {kind: 'lxc', node: 'pve1', vmid: 104, identity: digest('a')},
  params: {purge: true},
  action: digest('b'),
  observed: digest('c'),
  nonce: 'AAAAAAAAAAAAAAAAAAAAAA',
  iatMs: Date.UTC(2026, 10, 18, 6),
  expMs: Date.UTC(2026, 10, 18, 18),
  trust: 1,
  reason: 'no longer needed',
}
const target = fields['target'] as Readonly<Record<string, CanonicalValue>>
type Changes = Readonly<Record<string, CanonicalValue | undefined>>
const decode = (changed: Changes): Statement =>
  decodeStatement(Buffer.from(writeCanonical({...fields, ...changed} as CanonicalValue)))

describe('a statement', () => {
  it('is read from its canonical text, and written as the same', () => {
    const bytes = Buffer.from(writeCanonical(fields))
    expect(decodeStatement(bytes)).to.deep.equal(statement)
    expect(encodeStatement(statement).toString()).to.equal(bytes.toString())
  })
  it('may say from when on it holds', () => {
    const later = {...statement, nbfMs: statement.iatMs + 60_000}
    expect(decodeStatement(encodeStatement(later))).to.deep.equal(later)
    expect(decode({nbf: '2026-11-18T06:01:00Z'})).to.deep.equal(later)
  })
  it('knows every operation that can be signed for', () => {
    for (const op of SIGNED_OPERATIONS) expect(decode({op}).op).to.equal(op)
  })
  it('tells a number written as text apart, to be refused for what it is', () => {
    expect(decode({target: {...target, vmid: '104'}}).target.vmid).to.equal('104')
  })
  it('may be of 16 KiB', () => {
    const texts = (length: number): {long: string} => ({long: 'x'.repeat(length)})
    const room = 16384 - Buffer.from(writeCanonical({...fields, params: texts(0)})).length
    expect(decode({params: texts(room)}).params['long']).to.have.length(room)
    expect(() => decode({params: texts(room + 1)})).to.throw(Malformed)
  })
  const malformed: Record<string, Changes> = {
    'of another type': {type: 'felhom.op.v2'},
    'of the type of trust files': {type: 'felhom.trust.v1'},
    'with an unknown field': {extra: 1},
    ...Object.fromEntries(
      Object.keys(fields).flatMap((name): [string, Changes][] => [
        [`without ${name}`, {[name]: undefined}],
        [`with null for ${name}`, {[name]: null}],
        [`with a list for ${name}`, {[name]: []}],
      ]),
    ),
    'of an unknown operation': {op: 'guest.explode'},
    'of an operation in capitals': {op: 'Guest.destroy'},
    'with an unknown field of its target': {target: {...target, name: 'x'}},
    'without identity': {target: {kind: 'lxc', node: 'pve1', vmid: 104}},
    'with a vmid of -1': {target: {...target, vmid: -1}},
    'with a vmid of 1,000,000,000': {target: {...target, vmid: 1_000_000_000}},
    'with a vmid of letters': {target: {...target, vmid: 'abc'}},
    'with a vmid of true': {target: {...target, vmid: true}},
    'with a node that is a path': {target: {...target, node: '../pve1'}},
    'with a node of 64 letters': {target: {...target, node: 'n'.repeat(64)}},
    'with a kind in capitals': {target: {...target, kind: 'LXC'}},
    'with an identity in capitals': {target: {...target, identity: digest('A')}},
    'with an action of 63 digits': {action: digest('b').slice(0, -1)},
    'with an action of 65 digits': {action: `${digest('b')}b`},
    'with an action without sha256': {action: 'b'.repeat(64)},
    'with an observed of sha512': {observed: digest('c').replace('256', '512')},
    'with an empty host': {host: ''},
    'with a host of 65 letters': {host: 'h'.repeat(65)},
    'with a host that is a path': {host: 'a/b'},
    'with a nonce of 15 bytes': {nonce: Buffer.alloc(15).toString('base64url')},
    'with a nonce of 17 bytes': {nonce: Buffer.alloc(17).toString('base64url')},
    'with a padded nonce': {nonce: `${'A'.repeat(22)}==`},
    'with stray bits in its nonce': {nonce: `${'A'.repeat(21)}B`},
    'with a nonce of plain base64': {nonce: `${'A'.repeat(20)}+A`},
    'with a trust of 0': {trust: 0},
    'with a trust as text': {trust: '1'},
    'with params that are a list': {params: [true]},
    'with a reason of 2,001 letters': {reason: 'x'.repeat(2001)},
    'with nbf null': {nbf: null},
    ...Object.fromEntries(
      ['iat', 'exp', 'nbf'].flatMap((name) =>
        [
          '2026-11-18T06:00:00+02:00',
          '2026-11-18T06:00:00.000Z',
          '2026-11-18T06:00:00z',
          '2026-11-18t06:00:00Z',
          '2026-11-18 06:00:00Z',
          '2026-11-18T06:00Z',
          '2026-02-30T06:00:00Z',
          '2025-02-29T06:00:00Z',
          '2026-13-01T06:00:00Z',
          '2026-00-01T06:00:00Z',
          '2026-04-31T06:00:00Z',
          '2026-11-18T24:00:00Z',
          '2026-11-18T06:60:00Z',
          '2026-11-18T06:00:60Z',
          '+002026-11-18T06:00:00Z',
          '2026-11-18T06:00:00Z ',
          '',
        ]
          .map((time): [string, Changes] => [`with ${name} "${time}"`, {[name]: time}])
          .concat([[`with ${name} as a number`, {[name]: 1_800_000_000}]]),
      ),
    ),
  }
  for (const [title, changed] of Object.entries(malformed)) {
    it(`${title} is malformed`, () => {
      expect(() => decode(changed)).to.throw(Malformed)
    })
  }
  it('takes the 29th of February of a leap year', () => {
    expect(decode({iat: '2028-02-29T23:59:59Z'}).iatMs).to.equal(Date.UTC(2028, 1, 29, 23, 59, 59))
  })
  it('that is no object is malformed', () => {
    for (const text of ['[]', '"x"', 'null', '1']) {
      expect(() => decodeStatement(Buffer.from(text))).to.throw(Malformed)
    }
  })
  it('that could not be read again is not written', () => {
    expect(() => encodeStatement({...statement, reason: 'a\u202eb'})).to.throw(Malformed)
    expect(() => encodeStatement({...statement, nonce: 'short'})).to.throw(Malformed)
    expect(() => encodeStatement({...statement, params: {Key: 1}})).to.throw(Malformed)
  })
  it('is not written with a time that has no text', () => {
    for (const iatMs of [NaN, Infinity, -1e15, 1e15]) {
      expect(() => encodeStatement({...statement, iatMs})).to.throw(Malformed)
    }
  })
})

describe('a time', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(fc.integer({min: 0, max: 253_402_300_799}), (second) => {
        expect(readTimestamp(writeTimestamp(second * 1000))).to.equal(second * 1000)
      }),
      {numRuns: 300, seed: 1},
    )
  })
})
