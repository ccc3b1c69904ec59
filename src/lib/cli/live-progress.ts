// Progress on a terminal: a line for each action that runs, redrawn in place under the lines of what has ended.
import type {RunEvent} from '../model/run-event.ts'
import {makePalette, type Palette} from '../report/palette.ts'
import {renderEnded, renderRunning} from '../report/progress-text.ts'
import {colourOn} from './colour.ts'
import {terminalWidth} from './terminal-width.ts'
import {ActionWatch, type Progress} from './watch-actions.ts'

const REDRAW_MS = 250
const SOON_MS = 40
const ERASE_LINE = '\u001b[K'
const ERASE_BELOW = '\u001b[J'

/** Each drawing is one write: up to the top of the block, over what stands there, and away with the rest. */
export class LiveProgress extends ActionWatch implements Progress {
  readonly #stream: NodeJS.WriteStream
  readonly #palette: Palette
  readonly #clock: NodeJS.Timeout
  #soon: NodeJS.Timeout | undefined
  #ended: string[] = []
  #height = 0

  constructor(stream: NodeJS.WriteStream) {
    super()
    this.#stream = stream
    this.#palette = makePalette(colourOn(stream))
    this.#clock = setInterval(() => {
      if (this.actions.size > 0) this.#draw()
    }, REDRAW_MS).unref()
  }

  override show(event: RunEvent): void {
    if (event.type === 'action_ended') {
      const took = this.elapsed(event.result, event.atMs)
      const width = terminalWidth()
      const text = renderEnded(event.result, took, {palette: this.#palette, width})
      if (text !== undefined) this.#ended.push(...text.split('\n'))
    }
    super.show(event)
    this.#soon ??= setTimeout(() => {
      this.#draw()
    }, SOON_MS).unref()
  }

  say(text: string): void {
    this.#ended.push(...text.split('\n'))
    this.#draw()
  }

  override close(): void {
    clearInterval(this.#clock)
    super.close()
    this.#draw()
  }

  #draw(): void {
    clearTimeout(this.#soon)
    this.#soon = undefined
    const {columns, rows} = this.#stream
    // One cell is left free: a full line makes some terminals begin another.
    const width = Math.max(20, columns - 1)
    const options = {palette: this.#palette, width}
    const block = renderRunning([...this.actions.values()], Date.now(), options, Math.max(2, rows - 2))
    const up = this.#height === 0 ? '' : `\u001b[${this.#height}A\r`
    const lines = [...this.#ended, ...block].map((line) => `${line}${ERASE_LINE}\n`)
    const text = up + lines.join('') + ERASE_BELOW
    if (this.#height > 0 || lines.length > 0) this.#stream.write(text)
    this.#ended = []
    this.#height = block.length
  }
}
