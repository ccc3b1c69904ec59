// Facts one below the other, each with its label. What is too long for the rest of its line goes on below it, so that
// a digest can be copied in one piece.
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {cellWidth, wrapText, type Paint} from './text-table.ts'

export interface Fact {
  readonly label: string
  /** Raw: it is escaped here. */
  readonly text: string
  readonly paint?: Paint
}

export interface FactOptions {
  readonly palette: Palette
  readonly width: number
  readonly indent?: string
}

const GAP = 2

export function renderFacts(facts: readonly Fact[], options: FactOptions): string[] {
  const {palette, width, indent = ''} = options
  const column = Math.max(...facts.map(({label}) => cellWidth(label))) + GAP
  const room = width - indent.length - column
  return facts.flatMap(({label, text, paint = (same: string) => same}) => {
    const shown = escapeText(text)
    const isBelow = shown.split(' ').some((word) => cellWidth(word) > room)
    const margin = ' '.repeat(indent.length + (isBelow ? GAP : column))
    const lines = wrapText(shown, width - margin.length)
      .split('\n')
      .map(paint)
    const head = indent + palette.dim(label)
    if (isBelow) return [head, ...lines.map((line) => margin + line)]
    const [first = '', ...more] = lines
    const padding = ' '.repeat(column - cellWidth(label))
    return [`${head}${padding}${first}`, ...more.map((line) => margin + line)]
  })
}
