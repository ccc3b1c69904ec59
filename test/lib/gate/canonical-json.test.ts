// Canonical or refused: every value has one text, and nothing in it that two readers could read in two ways.
import {expect} from 'chai'
import fc from 'fast-check'
import {readCanonical, writeCanonical} from '../../../src/lib/gate/canonical-json.ts'
import {Malformed} from '../../../src/lib/gate/ssh-wire.ts'
import type {CanonicalValue} from '../../../src/lib/model/approval.ts'

const read = (text: string | Uint8Array): CanonicalValue =>
  readCanonical(typeof text === 'string' ? Buffer.from(text) : text)

describe('canonical JSON', () => {
  it('is read back as it was written, for any value', () => {
    const key = fc.stringMatching(/^[a-z][a-z0-9_-]{0,10}$/).filter((name) => name !== 'constructor')
    const text = fc.stringMatching(/^[ -~áéőű✓]{0,20}$/u)
    const {value} = fc.letrec<{value: CanonicalValue}>((tie) => ({
      value: fc.oneof(
        {maxDepth: 4},
        text,
        fc.maxSafeInteger(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), {maxLength: 4}),
        fc.dictionary(key, tie('value'), {maxKeys: 4, noNullPrototype: true}),
      ),
    }))
    fc.assert(
      fc.property(value, (one) => {
        const canonical = writeCanonical(one)
        expect(read(canonical)).to.deep.equal(one)
      }),
      {numRuns: 500, seed: 1},
    )
  })
  const good: Record<string, string> = {
    'an empty object': '{}',
    'keys in order': '{"a":1,"b":[true,null,"x"]}',
    'the largest safe integer': '9007199254740991',
    'the smallest safe integer': '-9007199254740991',
    'letters beyond ASCII in normal form': '"árvíztűrő ✓"',
    'depth 8': '[[[[[[[[]]]]]]]]',
    'what must be escaped': '"\\"\\\\"',
  }
  for (const [title, text] of Object.entries(good)) {
    it(`reads ${title}`, () => {
      expect(writeCanonical(read(text))).to.equal(text)
    })
  }
  const malformed: Record<string, string | Uint8Array> = {
    'white space': '{"a": 1}',
    'an end of line': '{}\n',
    'keys out of order': '{"b":1,"a":1}',
    'a duplicate key': '{"a":1,"a":1}',
    'a duplicate key, escaped': '{"a":1,"\\u0061":1}',
    'an escape that is not needed': '"\\u0061"',
    'a slash escaped': '"\\/"',
    '104.0': '104.0',
    '1.04e2': '1.04e2',
    '1.5': '1.5',
    '2^53 + 1': '9007199254740993',
    '2^53': '9007199254740992',
    '1e400': '1e400',
    '-0': '-0',
    'a leading zero': '01',
    __proto__: '{"__proto__":{}}',
    constructor: '{"constructor":1}',
    prototype: '{"prototype":1}',
    toJSON: '{"toJSON":1}',
    'a key in capitals': '{"A":1}',
    'an empty key': '{"":1}',
    'a key of 65 characters': `{"${'k'.repeat(65)}":1}`,
    'a text not in normal form': '"a\u0301"',
    'half a surrogate pair, escaped': '"\\ud800"',
    'the other half, escaped': '"\\udc00"',
    'a bidi override': '"a\u202eb"',
    'a bidi isolate': '"a\u2066b"',
    'a zero-width space': '"a\u200bb"',
    'a zero-width joiner': '"a\u200db"',
    'a soft hyphen': '"a\u00adb"',
    'a mark of the byte order inside': '"a\ufeffb"',
    'a Hangul filler': '"a\u3164b"',
    'a tag character': '"a\u{e0041}b"',
    'a private character': '"\ue000"',
    'an unassigned character': '"\u0378"',
    'a separator of lines': '"a\u2028b"',
    'a control character, escaped': '"a\\u0007b"',
    'an end of line inside, escaped': '"a\\nb"',
    delete: '"a\u007fb"',
    'a C1 control character': '"a\u0085b"',
    'a mark of the byte order': '\ufeff{}',
    'bad UTF-8': Buffer.from([0x22, 0xff, 0x22]),
    'an overlong slash': Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
    'half a surrogate pair in bytes': Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    'depth 9': '[[[[[[[[[]]]]]]]]]',
    'nesting 5,000': '['.repeat(5000) + ']'.repeat(5000),
    '513 values': `[${'1,'.repeat(511)}1]`,
    'a comment': '{}//',
    NaN: 'NaN',
    'two values': '{}{}',
    nothing: '',
  }
  for (const [title, text] of Object.entries(malformed)) {
    it(`refuses ${title}`, () => {
      expect(() => read(text)).to.throw(Malformed)
    })
  }
  it('takes 512 values', () => {
    expect(read(`[${'1,'.repeat(510)}1]`)).to.have.length(511)
  })
  it('sorts keys by their code units', () => {
    expect(writeCanonical({'\ufb33': 1, '😀': 2, a: 3})).to.equal('{"a":3,"😀":2,"\ufb33":1}')
  })
  it('has no text for half a surrogate pair or what is no number', () => {
    for (const value of ['\ud800', NaN, Infinity]) expect(() => writeCanonical(value)).to.throw(Malformed)
  })
  it('has no text for what JSON does not know', () => {
    expect(() => writeCanonical(undefined as unknown as CanonicalValue)).to.throw(Malformed)
  })
})
