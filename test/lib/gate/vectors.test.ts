// Our implementation over the vectors that any other could be checked with; and the vectors are as their script
// writes them.
import {readFileSync} from 'node:fs'
import {expect} from 'chai'
import {actionDigest, identityDigest, statementDigest} from '../../../src/lib/gate/digests.ts'
import {writeCanonical} from '../../../src/lib/gate/canonical-json.ts'
import {ingestKey} from '../../../src/lib/gate/ingest-key.ts'
import {decodeStatement} from '../../../src/lib/gate/statement.ts'
import {makeVectors} from '../../support/gate-vectors/make-vectors.ts'
import {
  decideVector,
  judge,
  judgeSignatureVector,
  readTrustVector,
} from '../../support/gate-vectors/run-vectors.ts'
import type {
  DecisionVectors,
  DigestVectors,
  KeyVector,
  SshsigVector,
  StatementVector,
  TrustVector,
} from '../../support/gate-vectors/vector-types.ts'

const readFixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/gate/${name}`, import.meta.url), 'utf8')
const parse = <T>(name: string): T => JSON.parse(readFixture(name)) as T
const stores = parse<TrustVector[]>('trust.json')

describe('the vectors of the gate', () => {
  describe('a key', () => {
    for (const {title, line, expect: expected, fingerprint} of parse<KeyVector[]>('keys.json')) {
      it(`is ${expected}: ${title}`, () => {
        expect(judge(() => ingestKey(line))).to.equal(expected)
        if (fingerprint !== undefined) expect(ingestKey(line).fingerprint).to.equal(fingerprint)
      })
    }
  })
  describe('a signature', () => {
    for (const vector of parse<SshsigVector[]>('sshsig.json')) {
      it(`is ${vector.expect}: ${vector.title}`, () => {
        expect(judgeSignatureVector(vector)).to.equal(vector.expect)
      })
    }
  })
  describe('a statement', () => {
    for (const {title, payload, expect: expected} of parse<StatementVector[]>('statements.json')) {
      it(`is ${expected}: ${title}`, () => {
        expect(judge(() => decodeStatement(Buffer.from(payload)))).to.equal(expected)
      })
    }
  })
  it('digests are taken over canonical text', () => {
    const {actions, identities, observed} = parse<DigestVectors>('digests.json')
    for (const {action, digest} of actions) expect(actionDigest(action)).to.equal(digest)
    for (const {identity, digest} of identities) expect(identityDigest(identity)).to.equal(digest)
    for (const {guest, digest} of observed) expect(statementDigest(writeCanonical(guest))).to.equal(digest)
  })
  describe('a trust store', () => {
    for (const vector of stores) {
      it(`is ${vector.why ?? vector.expect}: ${vector.title}`, () => {
        const reading = readTrustVector(vector)
        if (vector.expect === 'believed') expect(reading).to.have.property('trust')
        else
          expect(reading).to.have.property('refusal').that.includes({code: vector.expect, kind: vector.why})
      })
    }
  })
  describe('a decision', () => {
    const {facts, cases} = parse<DecisionVectors>('decisions.json')
    for (const vector of cases) {
      it(`is ${vector.expect}: ${vector.title}`, () => {
        expect(decideVector(facts, vector, stores)).to.equal(vector.expect)
      })
    }
  })
  it('are as their script writes them', () => {
    for (const [name, text] of Object.entries(makeVectors())) {
      expect(text === readFixture(name), `${name}: npx tsx scripts/generate-gate-vectors.ts`).to.equal(true)
    }
  }).timeout(60_000)
})
