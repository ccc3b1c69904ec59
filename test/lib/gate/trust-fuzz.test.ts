import {expect} from 'chai'
import fc from 'fast-check'
import type {TrustFile} from '../../../src/lib/gate/ports.ts'
import {hashTrust} from '../../../src/lib/gate/trust-document.ts'
import {loadTrust} from '../../../src/lib/gate/trust-load.ts'
import {judgeProposal} from '../../../src/lib/gate/trust-proposal.ts'
import {decodeTrust} from '../../../src/lib/gate/trust-decode.ts'
import {follow, genesisOf, NOW_MS, operational, recovery} from '../../support/trust-lab.ts'

const people = [
  operational('alice'),
  operational('bob', {kind: 'sk-ecdsa'}),
  recovery('safe', {kind: 'ecdsa-384'}),
]
const first = genesisOf(people)
const second = follow(first, people, people.slice(2))
const genesis = hashTrust(first.bytes)

type Damage = {
  readonly at: number
  readonly kind: 'flip' | 'cut' | 'insert' | 'repeat'
  readonly byte: number
}
const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.double({min: 0, max: 1, maxExcluded: true, noNaN: true}),
  kind: fc.constantFrom('flip', 'cut', 'insert', 'repeat'),
  byte: fc.integer({min: 1, max: 255}),
})

function spoil(bytes: Uint8Array, {at, kind, byte}: Damage): Buffer {
  const place = Math.floor(at * bytes.length)
  const [head, tail] = [Buffer.from(bytes.subarray(0, place)), Buffer.from(bytes.subarray(place))]
  switch (kind) {
    case 'flip':
      tail.writeUInt8((tail[0] ?? 0) ^ byte)
      return Buffer.concat([head, tail])
    case 'cut':
      return head
    case 'insert':
      return Buffer.concat([head, Buffer.from([byte]), tail])
    case 'repeat':
      return Buffer.concat([head, tail, tail])
  }
}

describe('a trust store of which a byte is not as it was', () => {
  const field = fc.constantFrom('bytes', 'signatures')

  it('is refused with a reason, in the pinned version and in one that follows', () => {
    fc.assert(
      fc.property(fc.boolean(), field, damage, (inFirst, name, one) => {
        const broken = (file: TrustFile): TrustFile => ({...file, [name]: spoil(file[name], one)})
        const files = inFirst ? [broken(first), second] : [first, broken(second)]
        const read = loadTrust(files, genesis, NOW_MS, {version: 0})
        expect('refusal' in read && read.refusal.code).to.equal('trust_error')
      }),
      {numRuns: 400, seed: 11},
    )
  })

  it('is refused without any other exception, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({maxLength: 300}), fc.json(), (bytes, text) => {
        const head = {document: decodeTrust(first.bytes), hash: genesis}
        for (const one of [bytes, Buffer.from(text)]) {
          expect(judgeProposal(head, one, second.signatures, NOW_MS)).to.have.property('refusal')
          expect(judgeProposal(head, second.bytes, one, NOW_MS)).to.have.property('refusal')
        }
      }),
      {numRuns: 200, seed: 13},
    )
  })
})
