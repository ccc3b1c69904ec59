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
