// Offsets in a text as lines and columns. The lines are counted when the first place is asked for.
import {LineCounter} from 'yaml'
import type {Diagnostic} from '../model/diagnostic.ts'

/** Nobody reads more of a line; and where a whole text is one, each of its mistakes would carry all of it. */
const MOST_SHOWN = 1000

export class TextPlaces {
  readonly #file: string
  readonly #text: string
  #lines: LineCounter | undefined

  constructor(file: string, text: string) {
    this.#file = file
    this.#text = text
  }

  locate(offset: number): {line: number; column: number} {
    const {line, col} = this.#counted().linePos(offset)
    return {line: Math.max(1, line), column: Math.max(1, col)}
  }

  /** A diagnostic that underlines at most the rest of its first line. A long line is not shown. */
  at(offset: number, length: number, what: Omit<Diagnostic, 'file'>): Diagnostic {
    const {line, column} = this.locate(offset)
    const {lineStarts} = this.#counted()
    const [start = 0, next = this.#text.length + 1] = [lineStarts[line - 1], lineStarts[line]]
    const end = this.#text[next - 2] === '\r' ? next - 2 : next - 1
    const fits = Math.max(1, Math.min(length, end - start - column + 1))
    const shown = end - start <= MOST_SHOWN && {sourceLine: this.#text.slice(start, end)}
    return {...what, file: this.#file, line, column, length: fits, ...shown}
  }

  #counted(): LineCounter {
    if (this.#lines) return this.#lines
    const lines = new LineCounter()
    lines.addNewLine(0)
    for (let i = this.#text.indexOf('\n'); i >= 0; i = this.#text.indexOf('\n', i + 1))
      lines.addNewLine(i + 1)
    this.#lines = lines
    return lines
  }
}
