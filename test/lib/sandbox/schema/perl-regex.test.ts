import {expect} from 'chai'
import {perlRegex} from '../../../../src/lib/sandbox/schema/perl-regex.ts'

describe('perlRegex', () => {
  const cases: [pattern: string, matches: string[], refuses: string[]][] = [
    ['\\d+', ['1', '12\n', '٣'], ['', '1\n\n', '1x']],
    ['[-_.\\w\\d]+', ['vmbr0', 'vmbrü', 'a-b.c_d'], ['a b', '']],
    ['.*', ['', 'a\u2028b\rc'], ['a\nb']],
    ['[A-Za-z0-9\\-_\\s]{,8}', ['', 'ab cd-_1'], ['123456789']],
    ['(?^i:[a-z0-9_][a-z0-9_\\-\\+\\.]*)(?:;(?^i:[a-z0-9_]+))*', ['Ab+;C', 'x'], ['-a', 'a;-']],
    ['(?^i:ab)c', ['abc', 'ABc'], ['abC']],
    ['(?^:^0x[0-9a-fA-F]{4}$)', ['0x10de', '0x10de\n'], ['0x10d', '0x10deX']],
    ['(?^:[^\\x00-\\x08\\x10-\\x1F\\x7F]+)', ['a\tb', 'é'], ['a\x07', '\x7f']],
    ['\\w+=x(?:\\0\\w+=x)*', ['a=x\0b=x'], ['a=x b=x']],
    ['/dev/a\\d+|/dev/b\\d+', ['/dev/a1', '/dev/b1', '/dev/a1 and more', 'x/dev/b1'], ['/dev/c1']],
    ['[+-]?[^,;]+\\@\\!\\~', ['+a@!~'], ['a,@!~']],
    ['a\\Z', ['a', 'a\n'], ['ab']],
    // Without care the long text would be tried in more ways than there is time for.
    ['[a-z\\d]+(?:(?:[._]|__|[-]*)[a-z\\d]+)*:x', ['a--b_c:x'], ['a_:x', `${'a'.repeat(5000)}!`]],
  ]
  for (const [pattern, matches, refuses] of cases) {
    it(`matches as Perl would: ${pattern}`, () => {
      const regex = perlRegex(pattern, {whole: true})
      for (const text of matches) expect(regex.test(text), JSON.stringify(text)).to.equal(true)
      for (const text of refuses) expect(regex.test(text), JSON.stringify(text)).to.equal(false)
    })
  }

  it('ignores case where asked', () => {
    expect(perlRegex('[a-f]x', {whole: true, ignoreCase: true}).test('FX')).to.equal(true)
  })

  it('refuses a class that does not end', () => {
    expect(() => perlRegex('[a')).to.throw('unbalanced class')
  })
})
