// Diagnostics as a person reads them: file:line:column, the line with a caret below what is wrong, what was
// expected and what was probably meant.
import type {Diagnostic} from '../model/diagnostic.ts'
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {cellWidth, wrapText} from './text-table.ts'

const EXPECTED = '  expected: '

export function renderDiagnostics(diagnostics: readonly Diagnostic[], palette: Palette, width = 80): string {
  return diagnostics.map((d) => renderDiagnostic(d, palette, width)).join('\n\n')
}

function renderDiagnostic(d: Diagnostic, palette: Palette, width: number): string {
  const place = [d.file, d.line, d.column].filter((p) => p !== undefined).join(':')
  const lines = [`${palette.strong(escapeText(place))}: ${escapeText(d.message)}`]
  if (d.sourceLine !== undefined && d.line !== undefined)
    lines.push(...renderSource(d, d.sourceLine, d.line, palette))
  if (d.expected !== undefined) {
    const expected = wrapText(escapeText(d.expected), width - EXPECTED.length)
    lines.push(EXPECTED + expected.replaceAll('\n', `\n${' '.repeat(EXPECTED.length)}`))
  }
  if (d.suggestion !== undefined) lines.push(`  did you mean: ${escapeText(d.suggestion)}`)
  return lines.join('\n')
}

const WINDOW = 100

/** A long line is cut to the part around the mistake. */
function renderSource(d: Diagnostic, source: string, line: number, palette: Palette): string[] {
  const column = d.column ?? 1
  const from = column > WINDOW ? column - 40 : 0
  const gutter = `  ${line} | `
  const before = cellWidth(escapeText(source.slice(from, column - 1)))
  const marked = escapeText(source.slice(column - 1, column - 1 + (d.length ?? 1)))
  const caret = '^'.repeat(Math.max(1, Math.min(cellWidth(marked), WINDOW)))
  return [
    palette.dim(gutter) + escapeText(source.slice(from, from + WINDOW)),
    `${' '.repeat(gutter.length - 2)}${palette.dim('|')} ${' '.repeat(before)}${palette.bad(caret)}`,
  ]
}
