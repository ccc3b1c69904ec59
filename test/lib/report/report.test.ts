import {expect} from 'chai'
import fc from 'fast-check'
import {renderDiagnostics} from '../../../src/lib/report/diagnostics-text.ts'
import {renderError} from '../../../src/lib/report/error-text.ts'
import {escapeText} from '../../../src/lib/report/escape-text.ts'
import {makePalette} from '../../../src/lib/report/palette.ts'
import {cellWidth, renderColumns, wrapText} from '../../../src/lib/report/text-table.ts'

const plain = makePalette(false)

describe('text that comes from outside', () => {
  it('shows escape sequences, bidi and zero-width characters instead of obeying them', () => {
    expect(escapeText('a\u001b[31mred\u202Eback\u200Bx\u0085')).to.equal(
      String.raw`a\x1b[31mred\u{202e}back\u{200b}x\x85`,
    )
    expect(escapeText('tab\tnew\nline')).to.equal(String.raw`tab\tnew\nline`)
    expect(escapeText('árvíztűrő 日本 🦊')).to.equal('árvíztűrő 日本 🦊')
  })

  it('holds nothing a terminal would act on, whatever the input', () => {
    fc.assert(
      fc.property(fc.string({unit: 'binary', maxLength: 40}), (text) => {
        expect(escapeText(text)).to.not.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }),
    )
  })
})

describe('columns', () => {
  it('align, count wide characters twice and leave no trailing spaces', () => {
    const lines = renderColumns([
      [{text: 'a'}, {text: '日本'}, {text: 'x'}],
      [{text: 'long'}, {text: 'b'}, {text: ''}],
    ])
    expect(lines).to.deep.equal(['a     日本  x', 'long  b'])
    expect(cellWidth('e\u0301')).to.equal(1)
  })

  it('escape their cells', () => {
    expect(renderColumns([[{text: '\u001b[2J'}]])).to.deep.equal([String.raw`\x1b[2J`])
  })

  it('wrap at words and keep a long word whole', () => {
    expect(wrapText('one two three', 7)).to.equal('one two\nthree')
    expect(wrapText('x https://a.very.long.example/path y', 10)).to.equal(
      'x\nhttps://a.very.long.example/path\ny',
    )
  })
})

describe('diagnostics', () => {
  it('show place, line, caret, expectation and suggestion', () => {
    const text = renderDiagnostics(
      [
        {
          code: 'unknown_key',
          file: 'felhom.yaml',
          line: 12,
          column: 3,
          length: 6,
          sourceLine: '  memroy: 512',
          message: "there is no option 'memroy'",
          suggestion: 'memory',
        },
      ],
      plain,
    )
    expect(text).to.equal(
      [
        "felhom.yaml:12:3: there is no option 'memroy'",
        '  12 |   memroy: 512',
        '     |   ^^^^^^',
        '  did you mean: memory',
      ].join('\n'),
    )
  })

  it('cut a very long line around the mistake', () => {
    const sourceLine = `${'x'.repeat(5000)}bad${'y'.repeat(5000)}`
    const text = renderDiagnostics(
      [{code: 'c', file: 'f', line: 1, column: 5001, length: 3, sourceLine, message: 'm'}],
      plain,
    )
    expect(Math.max(...text.split('\n').map((l) => l.length))).to.be.lessThan(120)
    const [, source = '', caret = ''] = text.split('\n')
    expect(source.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).to.equal('bad')
  })
})

describe('errors', () => {
  it('say what happened, what is in doubt and what to do, within the width', () => {
    const text = renderError(
      {code: 'timeout', message: 'no answer '.repeat(20).trim(), doubt: 'It may have run.', hint: 'Look.'},
      plain,
      80,
    )
    expect(text.startsWith('Error: no answer')).to.equal(true)
    expect(text.endsWith('\n\nIt may have run.\n\nLook.')).to.equal(true)
    expect(Math.max(...text.split('\n').map((l) => l.length))).to.be.at.most(80)
  })
})
