// Offsets in a text as lines and columns. The lines are counted when the first place is asked for.
import {LineCounter} from 'yaml'
import type {Diagnostic} from '../model/diagnostic.ts'

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

  /** A diagnostic that underlines at most the rest of its first line. */
  at(offset: number, length: number, what: Omit<Diagnostic, 'file'>): Diagnostic {
    const {line, column} = this.locate(offset)
    const start = this.#counted().lineStarts[line - 1] ?? 0
    const newline = this.#text.indexOf('\n', start)
    const sourceLine = this.#text.slice(start, newline < 0 ? undefined : newline).replace(/\r$/, '')
    const fits = Math.max(1, Math.min(length, sourceLine.length - column + 1))
    return {...what, file: this.#file, line, column, length: fits, sourceLine}
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
