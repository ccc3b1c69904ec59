import {expect} from 'chai'
import fc from 'fast-check'
import {toJsonText} from '../../../src/lib/report/json-text.ts'

describe('JSON that is printed', () => {
  it('writes what a terminal would obey as \\u…', () => {
    expect(toJsonText({name: '\u001b[2J\u009b1m\u202e\u200b\u2028', emoji: '🦊 ű'}, 0)).to.equal(
      String.raw`{"name":"\u001b[2J\u009b1m\u202e\u200b\u2028","emoji":"🦊 ű"}`,
    )
    expect(toJsonText('\u{e0001}', 0)).to.equal(String.raw`"\udb40\udc01"`)
  })

  it('means the same to a parser, and holds nothing active but its own line breaks', () => {
    fc.assert(
      fc.property(fc.jsonValue({stringUnit: 'binary'}), (value) => {
        const text = toJsonText(value)
        expect(JSON.parse(text)).to.deep.equal(JSON.parse(JSON.stringify(value)))
        expect(text.replaceAll('\n', '')).to.not.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }),
    )
  })
})
