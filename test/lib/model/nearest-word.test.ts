import {expect} from 'chai'
import fc from 'fast-check'
import {guessAtMost, nearestWord} from '../../../src/lib/model/nearest-word.ts'

const WORDS = ['memory', 'cores', 'cpu', 'hostname', 'swap', 'tags']

describe('did you mean', () => {
  it('finds what a slip of the fingers meant', () => {
    expect(nearestWord('memroy', WORDS)).to.equal('memory') // two neighbours swapped
    expect(nearestWord('memor', WORDS)).to.equal('memory') // one left out
    expect(nearestWord('coress', WORDS)).to.equal('cores') // one too many
    expect(nearestWord('hostnane', WORDS)).to.equal('hostname') // one for another
    expect(nearestWord('TAGS', WORDS)).to.equal('tags')
  })

  it('is silent rather than far off, and stricter with short words', () => {
    expect(nearestWord('network', WORDS)).to.equal(undefined)
    expect(nearestWord('gpus', WORDS)).to.equal(undefined)
    expect(nearestWord('cp', WORDS)).to.equal('cpu')
    expect(nearestWord('anything', [])).to.equal(undefined)
  })

  it('prefers the nearest, and the first of equals', () => {
    expect(nearestWord('swapp', ['swaps', 'swap'])).to.equal('swaps')
    expect(nearestWord('swop', ['swip', 'swap'])).to.equal('swip')
    expect(nearestWord('memory', ['memory1', 'memory'])).to.equal('memory')
  })

  it('finds every word that is there, and every word with one letter lost', () => {
    const word = fc.stringMatching(/^[a-z]{3,12}$/)
    fc.assert(
      fc.property(word, fc.nat(), (text, n) => {
        expect(nearestWord(text, [text])).to.equal(text)
        const at = n % text.length
        expect(nearestWord(text.slice(0, at) + text.slice(at + 1), [text])).to.equal(text)
      }),
    )
  })

  it('looks at no candidate once all guesses are spent, however they were spent', () => {
    let looks = 0
    const watched = {
      *[Symbol.iterator]() {
        looks++
        yield* WORDS
      },
    }
    const guess = guessAtMost(2)
    expect([guess('memroy', watched), guess('nothing', watched)]).to.deep.equal(['memory', undefined])
    expect([guess('memroy', watched), guess('swop', watched)]).to.deep.equal([undefined, undefined])
    expect(looks).to.equal(2)
  })
})
