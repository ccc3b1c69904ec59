import {expect} from 'chai'
import fc from 'fast-check'
import {compareOption, isSameValue} from '../../../src/lib/catalog/compare-option.ts'
import {generatedParts} from '../../../src/lib/catalog/generated-parts.ts'
import {listFamilies, type Option} from '../../../src/lib/catalog/option.ts'
import type {PropertyFormat} from '../../../src/lib/catalog/property-format.ts'
import {parseProperties, printProperties} from '../../../src/lib/catalog/property-string.ts'
import {readValue} from '../../../src/lib/catalog/read-value.ts'
import {separateSize} from '../../../src/lib/catalog/separate-size.ts'
import type {DesiredValue} from '../../../src/lib/model/desired.ts'
import {GUEST_KINDS} from '../../../src/lib/model/guest.ts'
import {arbitraryParts, arbitraryPlain, arbitraryWish} from './arbitrary-values.ts'

const options = GUEST_KINDS.flatMap((kind) => listFamilies(kind)).filter((option) => option.isComparable)
const withParts = options.flatMap((option) => (option.format ? [{option, format: option.format}] : []))
const plain = options.filter((option) => !option.format)
const RUNS = {numRuns: 60}

function partsOf(format: PropertyFormat, text: string): Map<string, string> {
  const parsed = parseProperties(format, text)
  if ('problem' in parsed) throw new Error(parsed.problem)
  return parsed.parts
}

/** Whatever was there, what is sent leaves nothing to be sent again. */
function expectConvergence(option: Option, live: string | undefined, desired: DesiredValue): void {
  const first = compareOption(option, live, desired)
  if (first.equal) return
  const second = compareOption(option, first.after, desired)
  expect(second, `${String(live)} -> ${String(first.after)}`).to.deep.equal({equal: true})
}

const title = ({kind, family}: Option): string => `${kind} ${family}`

describe('property strings of any content', () => {
  for (const {option, format} of withParts) {
    describe(title(option), () => {
      const parts = arbitraryParts(format)
      const texts = parts.map((made) => printProperties(format, made))

      it('are the same parts after printing and parsing', () => {
        const check = (made: Map<string, string>): void => {
          expect(partsOf(format, printProperties(format, made))).to.deep.equal(made)
        }
        fc.assert(fc.property(parts, check), RUNS)
      })

      it('are equal to themselves, in any order and written by anybody', () => {
        const check = (text: string): void => {
          expect(compareOption(option, text, {is: 'text', text})).to.deep.equal({equal: true})
          const turned = [...partsOf(format, text)].map(([name, value]) => `${name}=${value}`).reverse()
          expect(isSameValue(option, text, turned.join(','))).to.equal(true)
          const reading = readValue(option, text)
          if (!('value' in reading)) throw new Error(JSON.stringify(reading.problems))
          expect(compareOption(option, text, reading.value)).to.deep.equal({equal: true})
        }
        fc.assert(
          fc.property(
            texts.filter((text) => isReasonable(option, format, text)),
            check,
          ),
          RUNS,
        )
      })

      it('as a map manage all that is in them and are equal to themselves', () => {
        const check = (made: Map<string, string>): void => {
          const live = printProperties(format, made)
          expect(compareOption(option, live, {is: 'parts', parts: made})).to.deep.equal({equal: true})
        }
        fc.assert(fc.property(parts, check), RUNS)
      })

      it('need no second write', () => {
        const generated = generatedParts(option)
        const wish = arbitraryWish(format, (name) => generated.includes(name))
        const desired: fc.Arbitrary<DesiredValue> = fc.oneof(
          texts.map((text) => ({is: 'text', text}) as const),
          wish.map((wanted) => ({is: 'parts', parts: wanted}) as const),
          fc.constant({is: 'removed'} as const),
        )
        const check = (live: string | undefined, wanted: DesiredValue): void => {
          expectConvergence(option, live, wanted)
        }
        fc.assert(fc.property(fc.option(texts, {nil: undefined}), desired, check), RUNS)
      })

      it('keep the parts that the map does not name', () => {
        const wish = arbitraryWish(format, () => true)
        const check = (live: string, wanted: Map<string, string | null>): void => {
          const result = compareOption(option, live, {is: 'parts', parts: wanted})
          if (result.equal) return
          const after = partsOf(format, result.after ?? '')
          for (const [name, value] of partsOf(format, live)) {
            if (wanted.has(name) || ousted(option, wanted).has(name)) continue
            expect(after.get(name), name).to.equal(value)
          }
        }
        fc.assert(fc.property(texts, wish, check), RUNS)
      })
    })
  }
})

/** Parts that say contrary things are refused when somebody writes them. */
function isReasonable(option: Option, format: PropertyFormat, text: string): boolean {
  const parts = partsOf(format, text)
  return (
    option.family !== 'ipconfig[n]' ||
    ((!parts.has('gw') || parts.has('ip')) && (!parts.has('gw6') || parts.has('ip6')))
  )
}

/** What another part of the map drives out: one of a pair, and the size and origin of another volume. */
function ousted(option: Option, wanted: ReadonlyMap<string, string | null>): Set<string> {
  const names = new Set<string>()
  if (wanted.has('host')) names.add('mapping')
  if (wanted.has('mapping')) names.add('host')
  if (wanted.has('order') && option.name === 'boot') names.add('legacy')
  if (option.isDisk && (wanted.has('file') || wanted.has('volume'))) names.add('size')
  return names
}

describe('plain values of any content', () => {
  for (const option of plain) {
    it(`${title(option)} is equal to itself, and needs no second write`, () => {
      const texts = arbitraryPlain(option)
      const check = (live: string | undefined, text: string): void => {
        expect(compareOption(option, text, {is: 'text', text})).to.deep.equal({equal: true})
        expectConvergence(option, live, {is: 'text', text})
        expectConvergence(option, live, {is: 'removed'})
      }
      fc.assert(fc.property(fc.option(texts, {nil: undefined}), texts, check), RUNS)
    })
  }
})

describe('any text at all', () => {
  it('can be compared as a live value of any option', () => {
    const check = (option: Option, live: string, text: string): void => {
      expect(isSameValue(option, live, live)).to.equal(true)
      compareOption(option, live, {is: 'text', text})
      compareOption(option, live, {is: 'parts', parts: new Map([['size', '8G']])})
      compareOption(option, live, {is: 'removed'})
    }
    const text = fc.string({
      unit: fc.constantFrom('a', '1', '=', ',', ';', ':', ' ', '%', '-', '.', '\n', '\0', 'é'),
    })
    fc.assert(fc.property(fc.constantFrom(...options), text, text, check), {numRuns: 2000})
  })

  it('can be read as a value that somebody wrote', () => {
    const check = (option: Option, written: unknown): void => {
      const reading = readValue(option, written)
      if ('problems' in reading) expect(reading.problems).to.not.have.length(0)
    }
    fc.assert(fc.property(fc.constantFrom(...options), fc.anything({maxDepth: 2}), check), {numRuns: 3000})
  })
})

describe('the size of a disk that exists', () => {
  const disks = withParts.filter(({option}) => option.isDisk)

  it('is never written to its config', () => {
    for (const {option, format} of disks) {
      const texts = arbitraryParts(format).map((made) => printProperties(format, made))
      const check = (live: string, text: string): void => {
        const result = compareOption(option, live, {is: 'text', text})
        if (result.equal || result.after === undefined) return
        const [is, sent] = [live, separateSize(option, live, result.after).config].map((t) =>
          partsOf(format, t),
        )
        const key = option.kind === 'lxc' ? 'volume' : 'file'
        if (is?.get(key) !== sent?.get(key) || is?.get('size') === undefined) return
        expect(sent?.get('size')).to.equal(is.get('size'))
      }
      fc.assert(fc.property(texts, texts, check), RUNS)
    }
  })
})
