import {expect} from 'chai'
import fc from 'fast-check'
import {readYaml, type YamlText} from '../../../src/lib/yaml/read-yaml.ts'

const LIMITS = {maxBytes: 1 << 16, maxDepth: 16}
const read = (text: string | Uint8Array): YamlText =>
  readYaml('f.yaml', typeof text === 'string' ? Buffer.from(text) : text, LIMITS)
const codes = (text: string | Uint8Array): string[] => read(text).diagnostics.map((d) => d.code)

describe('strict YAML', () => {
  it('gives plain values', () => {
    expect(read('a: 1\nb: [x, {c: true}]\n').value).to.deep.equal({a: 1, b: ['x', {c: true}]})
    expect(read('').value).to.equal(null)
  })

  it('points at a key and at a value', () => {
    const yaml = read('top:\n  inner: [1, two]\n')
    expect(yaml.diagnose(['top', 'inner'], 'key', {code: 'x', message: 'm'})).to.include({
      line: 2,
      column: 3,
      length: 5,
    })
    expect(yaml.diagnose(['top', 'inner', 1], 'value', {code: 'x', message: 'm'})).to.include({
      line: 2,
      column: 14,
      length: 3,
    })
    expect(yaml.diagnose(['top', 'gone'], 'value', {code: 'x', message: 'm'})).to.include({
      line: 2,
      column: 3,
    })
  })

  it('refuses aliases and anchors with their position', () => {
    const {diagnostics} = read('a: &x 1\nb: *x\n')
    expect(diagnostics.map(({code, line}) => ({code, line}))).to.deep.equal([
      {code: 'anchor', line: 1},
      {code: 'alias', line: 2},
    ])
  })

  it('refuses a billion laughs in no time', () => {
    const lines = [
      'a0: &a0 [x, x]',
      ...Array.from({length: 40}, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`),
    ]
    expect(codes(lines.join('\n'))).to.include('alias')
  })

  it('refuses duplicate keys, prototype keys and keys that are not words', () => {
    expect(codes('a: 1\na: 2\n')).to.deep.equal(['duplicate_key'])
    expect(codes('__proto__: {x: 1}\n')).to.deep.equal(['forbidden_key'])
    expect(codes('a: {constructor: 1}\n')).to.deep.equal(['forbidden_key'])
    expect(codes('? [a, b]\n: 1\n')).to.deep.equal(['key_type'])
  })

  it('refuses deep nesting before it can exhaust the stack', () => {
    expect(codes('['.repeat(30_000))).to.deep.equal(['too_deep'])
    expect(codes('- '.repeat(20_000))).to.deep.equal(['too_deep'])
    expect(codes(`${'['.repeat(20)}${']'.repeat(20)}`)).to.include('too_deep')
    expect(codes(`${'['.repeat(16)}${']'.repeat(16)}`)).to.deep.equal([])
  })

  it('does not take brackets and dashes of a text for nesting', () => {
    const text = `a: |\n  ${'['.repeat(500)}\n  ${'- '.repeat(500)}\n# ${'- '.repeat(500)}\nb: "${'{'.repeat(500)}"\n`
    expect(read(text).diagnostics).to.deep.equal([])
  })

  it('refuses bad UTF-8 and files that are too large', () => {
    expect(codes(Uint8Array.from([0x61, 0x3a, 0x20, 0xff]))).to.deep.equal(['bad_utf8'])
    expect(codes(`a: ${'x'.repeat(1 << 16)}`)).to.deep.equal(['too_large'])
  })

  it('reports a syntax error with line and column', () => {
    expect(read('a: [1,\nb: }\n').diagnostics[0]).to.deep.include({
      code: 'yaml_syntax',
      file: 'f.yaml',
      line: 2,
    })
  })

  it('gives up after a hundred mistakes of syntax', () => {
    expect(codes('- @\n'.repeat(5000))).to.have.length(100)
    expect(codes('"' + '\\q'.repeat(5000) + '"')).to.have.length(100)
    expect(codes(']\n'.repeat(5000))).to.have.length(100)
  })

  it('refuses what would cost the parser more than it is worth', () => {
    const limits = {...LIMITS, maxMarks: 10}
    expect(readYaml('f.yaml', Buffer.from('[1,2,3,4,5,6,7,8]'), limits).diagnostics).to.deep.equal([])
    expect(
      readYaml('f.yaml', Buffer.from('[1,2,3,4,5,6,7,8,9,10,11]'), limits).diagnostics[0],
    ).to.deep.include({
      code: 'too_large',
      line: 1,
    })
  })

  it('names the first place of a key that stands twice, as people would compare keys', () => {
    expect(read('a: 1\nb: 2\n"a": 3\n').diagnostics[0]).to.deep.include({
      code: 'duplicate_key',
      line: 3,
      column: 1,
      message: "the key 'a' stands twice in the same map, for the first time at 1:1",
    })
    expect(codes('{1: a, "1": b}')).to.deep.equal(['duplicate_key'])
    expect(codes('{101: a, 0x65: b}')).to.deep.equal([])
  })

  it('keeps numbers as they were written where a number would lose something', () => {
    expect(read('[1, 1.5, -3, 1.10, 007, 0x1F, 1e3, 12345678901234567890, +5, .5]').value).to.deep.equal([
      ...[1, 1.5, -3],
      ...['1.10', '007', '0x1F', '1e3', '12345678901234567890', '+5', '.5'],
    ])
    expect(read('{0x65: 1, 1.0: 2}').value).to.deep.equal({'0x65': 1, '1.0': 2})
  })

  it('tells a null that was written from one that was not', () => {
    const yaml = read('a:\nb: null\nc: ~\nd: [ , x]\ne: {f, g: }\n')
    const isEmpty = (...path: (string | number)[]): boolean => yaml.isEmpty(path)
    expect([isEmpty('a'), isEmpty('b'), isEmpty('c'), isEmpty('gone')]).to.deep.equal([
      true,
      false,
      false,
      false,
    ])
    expect([isEmpty('e', 'f'), isEmpty('e', 'g'), isEmpty('e')]).to.deep.equal([true, true, false])
  })

  it('points at the key where there is no value', () => {
    expect(read('a:\n\nb: 1\n').diagnose(['a'], 'value', {code: 'x', message: 'm'})).to.include({
      line: 1,
      column: 1,
    })
    const yaml = read('x: {a: 1, b: 2}')
    expect(yaml.locateKey((yaml.value as {x: object}).x, 'b')).to.deep.equal({line: 1, column: 11})
    expect(yaml.locateKey({}, 'b')).to.deep.equal({line: 1, column: 1})
  })

  it('finds its way in a large map', () => {
    const yaml = read(Array.from({length: 200}, (_, i) => `k${String(i)}: {x: 1}\n`).join(''))
    for (const i of [0, 23, 24, 25, 199]) {
      expect(yaml.locateKey(yaml.value as object, `k${String(i)}`).line, String(i)).to.equal(i + 1)
      expect(yaml.diagnose([`k${String(i)}`, 'x'], 'key', {code: 'x', message: 'm'}).line).to.equal(i + 1)
    }
  })

  it('reads one document of YAML 1.2', () => {
    expect(read('---\na: no\n...\n').value).to.deep.equal({a: 'no'})
    expect(read('a: 1\n---\nb: 1\n').diagnostics).to.have.length(1)
    expect(codes('a: 1\n---\nb: 1\n')).to.deep.equal(['several_documents'])
    expect(codes('%YAML 1.1\n---\na: no\n')).to.deep.equal(['yaml_version'])
    expect(read('%YAML 1.2\n---\na: no\n').value).to.deep.equal({a: 'no'})
    expect(codes('a: 1\n... b\n')).to.deep.equal(['yaml_syntax'])
  })

  it('refuses characters that no text holds, with their place', () => {
    expect(read('a: 1\nb: x\0y\n').diagnostics[0]).to.deep.include({
      code: 'control_character',
      line: 2,
      column: 5,
    })
    expect(codes('a: 1\rb: 2\r')).to.deep.equal(['control_character'])
    expect(read('a: 1\r\nb: 2\r\n').value).to.deep.equal({a: 1, b: 2})
    expect(read('\uFEFFa: ü\u00a0\u{1F600}\n').value).to.deep.equal({a: 'ü\u00a0\u{1F600}'})
  })

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({maxLength: 200}), (bytes) => {
        read(bytes)
      }),
      {numRuns: 500},
    )
    const alphabet = fc.constantFrom(...Array.from('ab:-[]{}&*!|>\'"%@#, \n\t?0'))
    fc.assert(
      fc.property(fc.array(alphabet, {maxLength: 60}), (chars) => {
        const {value, diagnostics} = read(chars.join(''))
        expect(diagnostics.length === 0 || value === undefined).to.equal(true)
      }),
      {numRuns: 2000},
    )
  })
})
