// Plain columns, as wide as their widest cell, with no frame: what grep, awk and eyes like best. Widths are
// counted in terminal cells, so that wide characters do not bend the columns.
import {escapeText} from './escape-text.ts'

export type Paint = (text: string) => string

export interface Cell {
  text: string
  paint?: Paint
}

const WIDE = /[ᄀ-ᅟ⺀-꓏가-힣豈-﫿︰-﹏＀-｠￠-￦\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

export function cellWidth(text: string): number {
  let width = 0
  for (const c of text) width += /\p{M}/u.test(c) ? 0 : WIDE.test(c) ? 2 : 1
  return width
}

const GAP = 2

/**
 * Lines without trailing spaces. Cells are escaped here: callers hand over raw text. A cell of more than `widest`
 * bends its own line instead of widening its column for all.
 */
export function renderColumns(rows: readonly (readonly Cell[])[], widest = Infinity): string[] {
  const escaped = rows.map((row) => row.map((cell) => ({...cell, text: escapeText(cell.text)})))
  const widths = columnWidths(escaped, widest)
  return escaped.map((row) => {
    const last = row.findLastIndex((cell) => cell.text !== '')
    return row
      .slice(0, last + 1)
      .map(({text, paint}, i) => {
        const padding = i === last ? '' : ' '.repeat(Math.max(0, (widths[i] ?? 0) - cellWidth(text)) + GAP)
        return (paint ? paint(text) : text) + padding
      })
      .join('')
  })
}

function columnWidths(escaped: readonly (readonly Cell[])[], widest: number): number[] {
  const widths: number[] = []
  for (const row of escaped) {
    for (const [i, cell] of row.entries()) {
      const width = cellWidth(cell.text)
      widths[i] = Math.max(widths[i] ?? 0, width > widest ? 0 : width)
    }
  }
  return widths
}

/** The same within `width`: if the lines would be longer, the cells of column `below` stand below their lines, wrapped. */
export function renderFitting(
  rows: readonly (readonly Cell[])[],
  {width, below, indent}: {readonly width: number; readonly below: number; readonly indent: string},
): string[] {
  const plain = renderColumns(rows.map((row) => row.map(({text}) => ({text}))))
  if (plain.every((line) => cellWidth(line) <= width)) return renderColumns(rows)
  const heads = renderColumns(rows.map((row) => row.filter((_, i) => i !== below)))
  return rows.flatMap((row, i) => {
    const {text = '', paint = (same: string) => same} = row[below] ?? {}
    const lines = text === '' ? [] : wrapText(escapeText(text), width - indent.length).split('\n')
    return [heads[i] ?? '', ...lines.map((line) => indent + paint(line))]
  })
}

/** What these columns take when others follow them. */
export function widthOfColumns(rows: readonly (readonly Cell[])[]): number {
  const escaped = rows.map((row) => row.map((cell) => ({...cell, text: escapeText(cell.text)})))
  return columnWidths(escaped, Infinity).reduce((sum, width) => sum + width + GAP, 0)
}

/** At most `width` cells once it is escaped; what is cut off is marked. */
export function cutText(text: string, width: number): string {
  if (cellWidth(escapeText(text)) <= width) return text
  let cut = ''
  for (const character of text) {
    if (cellWidth(escapeText(cut + character)) >= width) break
    cut += character
  }
  return `${cut}…`
}

/** Breaks a sentence into lines of at most `width` cells; a word longer than that keeps its line. */
export function wrapText(text: string, width: number, indent = ''): string {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let line = ''
    for (const word of paragraph.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`
      if (line !== '' && cellWidth(indent + longer) > width) {
        lines.push(indent + line)
        line = word
      } else line = longer
    }
    lines.push(line === '' ? '' : indent + line)
  }
  return lines.join('\n')
}
