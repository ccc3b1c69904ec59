import {readFileSync} from 'node:fs'
import {expect} from 'chai'
import {compareOption} from '../../../src/lib/catalog/compare-option.ts'
import {findOption, type Option} from '../../../src/lib/catalog/option.ts'
import {readValue} from '../../../src/lib/catalog/read-value.ts'
import {
  isSameInEffect,
  NOT_WRITABLE,
  type RecordedValue,
  SAME_IN_EFFECT,
  whyDifferent,
} from './option-facts-exceptions.ts'

// What the real Proxmox VE did with real values is the measure of equality: every accepted value is a case.
interface Fact extends RecordedValue {
  guestState: 'stopped' | 'running'
  status: number
  readBack?: string | number | null
  changed?: boolean
  alsoChanged?: Record<string, {to: string | number | null}>
  secondWriteOfReadBack?: {readBack?: string} | null
}

const MAC = 'BC:24:11:77:88:99'
const {facts} = JSON.parse(
  readFileSync(new URL('../../fixtures/pve/option-facts.json', import.meta.url), 'utf8'),
) as {facts: Fact[]}

function liveText(value: string | number | null | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value).replaceAll('${mac}', MAC)
}

function optionOf({kind, option: name}: Fact): Option {
  const option = findOption(kind, name)
  if (!option) throw new Error(`the catalog does not know ${kind} ${name}`)
  return option
}

const title = ({kind, option, value, guestState}: Fact): string =>
  `${kind} ${option} = ${JSON.stringify(value)} (${guestState})`

const accepted = facts.filter((fact) => fact.status === 200)
const own = accepted.filter((fact) => optionOf(fact).aliasOf === undefined)
const aliases = accepted.filter((fact) => optionOf(fact).aliasOf !== undefined)

describe('equality, measured on what the real Proxmox did', () => {
  for (const fact of own) {
    const option = optionOf(fact)
    const sent = String(fact.value)
    const readBack = liveText(fact.readBack)
    const different = whyDifferent(fact)

    describe(title(fact), () => {
      it(different ?? 'is the same after the round trip', () => {
        const result = compareOption(option, readBack, {is: 'text', text: sent})
        expect(result.equal, JSON.stringify(result)).to.equal(different === undefined)
      })

      it('is the same when what was read back is desired', () => {
        expect(readBack).to.be.a('string')
        const second = liveText(fact.secondWriteOfReadBack?.readBack) ?? readBack
        for (const live of [readBack, second]) {
          const desired = {is: 'text', text: readBack ?? ''} as const
          expect(compareOption(option, live, desired)).to.deep.equal({equal: true})
        }
      })

      it('differs from what was there before, if the guest is another for it', () => {
        const {equal} = compareOption(option, liveText(fact.before), {is: 'text', text: sent})
        const isSame = different === undefined && (fact.changed === false || isSameInEffect(fact))
        expect(equal).to.equal(isSame)
      })

      if (NOT_WRITABLE.has(fact.option)) return
      it('can be written in a file, as it was sent and as it was read back', () => {
        for (const text of [sent, readBack]) {
          const reading = readValue(option, text)
          if (!('value' in reading)) throw new Error(JSON.stringify(reading.problems))
          const {equal} = compareOption(option, readBack, reading.value)
          expect(equal, JSON.stringify(reading.value)).to.equal(text === readBack || different === undefined)
        }
      })
    })
  }

  it('has no exception that is not needed', () => {
    for (const {kind, option, values, reason} of SAME_IN_EFFECT) {
      for (const value of values) {
        const found = own.find((fact) => fact.kind === kind && fact.option === option && fact.value === value)
        expect(found?.changed, `${kind} ${option} ${String(value)}: ${reason}`).to.equal(true)
      }
    }
  })
})

describe('options that Proxmox stores under another name, measured on what it did', () => {
  for (const fact of aliases) {
    it(`${title(fact)} is the same there`, () => {
      const there = findOption(fact.kind, optionOf(fact).aliasOf ?? '')
      if (!there) throw new Error('no such option')
      const stored = liveText(fact.alsoChanged?.[there.name]?.to ?? fact.readBack)
      const reading = readValue(there, fact.value)
      if (!('value' in reading)) throw new Error(JSON.stringify(reading.problems))
      expect(compareOption(there, stored, reading.value)).to.deep.equal({equal: true})
    })
  }

  it('has some of them', () => {
    expect(aliases).to.have.length.greaterThan(2)
  })
})
