import {expect} from 'chai'
import fc from 'fast-check'
import {PveError} from '../../../../src/lib/sandbox/pve-error.ts'
import {decodeForm, decodeJson} from '../../../../src/lib/sandbox/schema/decode-body.ts'

const AT = 'at /usr/share/perl5/PVE/APIServer/AnyEvent.pm line'

function errorOf(text: string): string {
  try {
    decodeJson(text)
  } catch (error) {
    if (error instanceof PveError) return error.message
    throw error
  }
  throw new Error(`${text} was accepted`)
}

describe('decodeForm', () => {
  const cases: [body: string, params: Record<string, unknown>][] = [
    ['', {}],
    ['cores=2&tags=a%3Bb', {cores: '2', tags: 'a;b'}],
    ['tags=a;b', {tags: 'a', b: null}],
    ['description=a+b%2Bc', {description: 'a b+c'}],
    ['cores', {cores: null}],
    ['cores=', {cores: ''}],
    ['net0=name=eth0', {net0: 'name'}],
    ['delete=a&delete=b&delete=c', {delete: ['a', 'b', 'c']}],
    ['cores&cores=2', {cores: '2'}],
    ['cores=2&cores', {cores: null}],
    ['a=1&&b=2&&', {a: '1', '': null, b: '2'}],
    ['a=%zz%4', {a: '%zz%4'}],
    ['description=é%C3%A9', {description: 'éé'}],
    ['__proto__=x', JSON.parse('{"__proto__": "x"}') as Record<string, unknown>],
  ]
  for (const [body, params] of cases) {
    it(`reads ${JSON.stringify(body)}`, () => {
      expect(Object.entries(decodeForm(body))).to.deep.equal(Object.entries(params))
    })
  }

  it('replaces what is no UTF-8', () => {
    expect(decodeForm('description=%E9')['description']).to.equal('\uFFFD')
    expect(decodeForm(Buffer.from([0x61, 0x3d, 0xe9]))['a']).to.equal('\uFFFD')
  })
})

describe('decodeJson', () => {
  it('turns numbers into the text that Perl prints', () => {
    const params = decodeJson(
      '{"a": 1, "b": 1.0, "c": 2.50, "d": 1e3, "e": -0, "f": 1e20, "g": 0.1, "h": 1e-7}',
    )
    expect({...params}).to.deep.equal({
      a: '1',
      b: '1',
      c: '2.5',
      d: '1000',
      e: '0',
      f: '1e+20',
      g: '0.1',
      h: '1e-07',
    })
  })

  it('keeps what only JSON can carry', () => {
    const params = decodeJson(
      ' {"a": true, "b": null, "c": ["x", 1], "d": {"e": false}, "f": "\\u00e9\\ud83d\\ude00\\n"} ',
    )
    expect(JSON.parse(JSON.stringify(params))).to.deep.equal({
      a: true,
      b: null,
      c: ['x', '1'],
      d: {e: false},
      f: 'é😀\n',
    })
  })

  it('takes null for no parameters at all', () => {
    expect(Object.keys(decodeJson('null'))).to.deep.equal([])
  })

  const malformed: [text: string, complaint: string][] = [
    [
      '{"cores":',
      'malformed JSON string, neither tag, array, object, number, string or atom, at character offset 9 (before "(end of string)")',
    ],
    [
      '',
      'malformed JSON string, neither tag, array, object, number, string or atom, at character offset 0 (before "(end of string)")',
    ],
    ['{cores: 1}', `'"' expected, at character offset 1 (before "cores: 1}")`],
    ['{"a" 1}', `':' expected, at character offset 5 (before "1}")`],
    [
      '{"a": 1',
      ', or } expected while parsing object/hash, at character offset 7 (before "(end of string)")',
    ],
    ['[1 2]', ', or ] expected while parsing array, at character offset 3 (before "2]")'],
    ['{} x', 'garbage after JSON object, at character offset 3 (before "x")'],
    ['{"a": tru}', `'true' expected, at character offset 6 (before "tru}")`],
    [
      '{"a": 01}',
      'malformed number (leading zero must not be followed by another digit), at character offset 7 (before "1}")',
    ],
    ['{"a": -}', 'malformed number (no digits after initial minus), at character offset 7 (before "}")'],
    ['{"a": 1.}', 'malformed number (no digits after decimal point), at character offset 8 (before "}")'],
    ['{"a": 1e}', 'malformed number (no digits after exp sign), at character offset 8 (before "}")'],
    [
      '{"a": "x',
      'unexpected end of string while parsing JSON string, at character offset 8 (before "(end of string)")',
    ],
    ['{"a": "\\q"}', 'illegal backslash escape sequence in string, at character offset 7 (before "\\\\q"}")'],
    ['{"a": "\\u12"}', 'exactly four hexadecimal digits expected, at character offset 9 (before "12"}")'],
    [
      '{"a": "\n"}',
      'invalid character 0xA encountered while parsing JSON string, at character offset 7 (before "\\n"}")',
    ],
    ['"\\ud800x"', 'missing low surrogate character in surrogate pair, at character offset 7 (before "x"")'],
    ['"\\ud800\\u0041"', 'surrogate pair expected, at character offset 13 (before """)'],
    ['"\\udc00"', 'missing high surrogate character in surrogate pair, at character offset 7 (before """)'],
    [
      'abcdefghijklmnopqrstuvwxyz',
      'malformed JSON string, neither tag, array, object, number, string or atom, at character offset 0 (before "abcdefghijklmnopqrst...")',
    ],
  ]
  for (const [text, complaint] of malformed) {
    it(`complains about ${JSON.stringify(text)} as the real reader does`, () => {
      expect(errorOf(text)).to.equal(`${complaint} ${AT} 934.\n`)
    })
  }

  it('refuses a text that is nested too deeply', () => {
    expect(errorOf('['.repeat(600))).to.contain('exceeds maximum nesting level')
    expect(errorOf('['.repeat(512) + ']'.repeat(512))).to.contain('Not a HASH reference')
  })

  it('agrees with the platform about every valid object', () => {
    const objects = fc.dictionary(
      fc.string(),
      fc.oneof(fc.string({unit: 'binary'}), fc.boolean(), fc.constant(null)),
    )
    fc.assert(
      fc.property(objects, (object) => {
        const text = JSON.stringify(object)
        expect(JSON.parse(JSON.stringify(decodeJson(text)))).to.deep.equal(JSON.parse(text))
      }),
    )
  })

  it('dies as Perl does where the body is no object', () => {
    expect(errorOf('[1]')).to.equal(`Not a HASH reference ${AT} 978.\n`)
    expect(errorOf('"abc"')).to.equal(
      `Can't use string ("abc") as a HASH ref while "strict refs" in use ${AT} 978.\n`,
    )
  })
})
