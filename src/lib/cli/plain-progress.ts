// Progress where nothing can be redrawn: a line when a task begins, when it has ended, and now and then meanwhile.
import type {RunEvent} from '../model/run-event.ts'
import {makePalette, type Palette} from '../report/palette.ts'
import {renderEnded, renderStarted} from '../report/progress-text.ts'
import {colourOn} from './colour.ts'
import {ActionWatch, type Progress} from './watch-actions.ts'

const STILL_MS = 30_000

export class PlainProgress extends ActionWatch implements Progress {
  readonly #stream: NodeJS.WriteStream
  readonly #palette: Palette
  readonly #reminder: NodeJS.Timeout

  constructor(stream: NodeJS.WriteStream) {
    super()
    this.#stream = stream
    this.#palette = makePalette(colourOn(stream))
    this.#reminder = setInterval(() => {
      for (const action of this.actions.values()) this.say(renderStarted(action, Date.now()))
    }, STILL_MS).unref()
  }

  override show(event: RunEvent): void {
    if (event.type === 'action_ended') {
      const took = this.elapsed(event.result, event.atMs)
      const text = renderEnded(event.result, took, {palette: this.#palette, width: Infinity})
      if (text !== undefined) this.say(text)
    }
    super.show(event)
    // What starts no task is over before anybody could read of it.
    const started = event.type === 'task_started' ? this.actions.get(event.op) : undefined
    if (started) this.say(renderStarted(started, started.sinceMs))
  }

  say(text: string): void {
    this.#stream.write(`${text}\n`)
  }

  override close(): void {
    clearInterval(this.#reminder)
    super.close()
  }
}
