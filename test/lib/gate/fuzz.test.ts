// Broken input for every parser of the gate: it is read, or refused as what it is, and nothing else is ever thrown;
// an input that took for ever would end the test. FELHOM_TEST_FUZZ makes it longer, FELHOM_TEST_SEED other.
import {expect} from 'chai'
import {readCanonical} from '../../../src/lib/gate/canonical-json.ts'
import {decodeEnvelope, encodeEnvelope} from '../../../src/lib/gate/envelope.ts'
import {ingestKey} from '../../../src/lib/gate/ingest-key.ts'
import {readSshKey} from '../../../src/lib/gate/ssh-key.ts'
import {isSignedBy, readSshSignature} from '../../../src/lib/gate/sshsig.ts'
import {Malformed} from '../../../src/lib/gate/ssh-wire.ts'
import {decodeStatement, encodeStatement} from '../../../src/lib/gate/statement.ts'
import {decodeTrust} from '../../../src/lib/gate/trust-decode.ts'
import {TrustProblem} from '../../../src/lib/gate/trust-problem.ts'
import {decodeTrustSignatures, readTrustSignature} from '../../../src/lib/gate/trust-signatures.ts'
import {forgeKey, KEY_KINDS} from '../../support/forge-keys.ts'
import {mutateText, replaceField} from '../../support/mutate-text.ts'
import {packSshsig, signFields, armour, forgeSshsig} from '../../support/sshsig-forge.ts'
import {genesisOf, operational, recovery} from '../../support/trust-lab.ts'
import {Random} from '../../simulation/random.ts'

/** Of all inputs together. */
const COUNT = Number(process.env['FELHOM_TEST_FUZZ'] ?? 30_000)
const SEED = Number(process.env['FELHOM_TEST_SEED'] ?? 1)

const digest = `sha256:${'0'.repeat(64)}`
const statement = encodeStatement({
  host: 'install-1',
  op: 'guest.destroy',
  target: {kind: 'lxc', node: 'pve1', vmid: 104, identity: digest},
  params: {purge: true},
  action: digest,
  observed: digest,
  nonce: 'A'.repeat(22),
  iatMs: 1_800_000_000_000,
  expMs: 1_800_000_060_000,
  nbfMs: 1_800_000_000_000,
  trust: 1,
  reason: 'why not',
})
const keys = KEY_KINDS.map((kind) => forgeKey(kind, 'fuzz'))
const signatures = keys.map((key) => forgeSshsig(key, statement))
const trust = genesisOf([operational('anna'), operational('bert'), recovery('rita')])
const text = (bytes: Buffer): string => bytes.toString('latin1')

interface Target {
  readonly valid: readonly Buffer[]
  /** In place of breaking what is valid anywhere. */
  readonly make?: (random: Random) => Buffer
  /** Throws nothing but Malformed and TrustProblem. */
  readonly read: (input: Buffer) => unknown
}

const targets: Record<string, Target> = {
  envelope: {
    valid: [signatures, signatures.slice(0, 1), []].map((some) =>
      Buffer.from(encodeEnvelope({payload: statement, signatures: some})),
    ),
    read: decodeEnvelope,
  },
  payload: {valid: [statement], read: decodeStatement},
  'payload with another field': {
    valid: [statement],
    make: (random) => replaceField(random, statement),
    read: decodeStatement,
  },
  'trust file with another field': {
    valid: [Buffer.from(trust.bytes)],
    make: (random) => replaceField(random, trust.bytes),
    read: decodeTrust,
  },
  'canonical value': {valid: [statement, Buffer.from('[1,"a",{"b":null}]')], read: readCanonical},
  'armoured signature': {
    valid: signatures.map((one) => Buffer.from(one)),
    read: (input) => readSshSignature(text(input)),
  },
  'signature in its armour': {
    valid: keys.map((key) => packSshsig(signFields(key, statement))),
    read: (input) => {
      const signature = readSshSignature(armour(input))
      return isSignedBy(signature.key, signature, statement)
    },
  },
  key: {valid: keys.map(({blob}) => blob), read: readSshKey},
  'line of a key': {valid: keys.map(({line}) => Buffer.from(line)), read: (input) => ingestKey(text(input))},
  'key on its line': {
    valid: keys.map(({blob}) => blob),
    read: (input) => ingestKey(`${nameOf(input)} ${input.toString('base64')}`),
  },
  'trust file': {valid: [Buffer.from(trust.bytes)], read: decodeTrust},
  'signatures of a trust file': {
    valid: [Buffer.from(trust.signatures)],
    read: (input) => decodeTrustSignatures(input).map((one) => readTrustSignature(one)),
  },
}

const nameOf = (blob: Buffer): string =>
  blob.length < 4 ? 'ssh-ed25519' : text(blob.subarray(4, 4 + Math.min(blob.readUInt32BE(0), 64)))

describe('broken input', () => {
  for (const [name, {valid, read, make}] of Object.entries(targets)) {
    const count = Math.ceil(COUNT / Object.keys(targets).length)
    it(`for a parser is read or refused, ${count} times: ${name}`, () => {
      for (const good of valid) read(good)
      const random = new Random(SEED).stream(name)
      for (let n = 0; n < count; n++) {
        const input = make?.(random) ?? mutateText(random, valid)
        try {
          read(input)
        } catch (error) {
          const isTyped = error instanceof Malformed || error instanceof TrustProblem
          expect(isTyped, `input ${n}, ${input.toString('base64')}: ${String(error)}`).to.equal(true)
        }
      }
    }).timeout(60_000 + count * 20)
  }
})
