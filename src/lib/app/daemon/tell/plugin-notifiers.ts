// Notifiers of plugins, told of every alert in its order and beside the loop. One that fails is said to, by name, in the
// log; the alert itself is there too, so that nothing is lost with it.
import type {Alert} from '../../../model/daemon.ts'
import {callPlugin} from '../../../plugin/call-plugin.ts'
import type {Extensions} from '../../../plugin/extensions.ts'

const TIMEOUT_MS = 15_000
/** More than that wait for somebody who hangs: the oldest are given up, and said to be. */
const MOST_WAITING = 1000

export class PluginNotifiers {
  readonly #notifiers: Extensions['notifiers']
  readonly #warn: (text: string) => void
  readonly #timeoutMs: number
  readonly #dir: string
  readonly #closing = new AbortController()
  #waiting = 0
  #saidLast: unknown
  #told: Promise<void> = Promise.resolve()

  constructor(
    {notifiers}: Pick<Extensions, 'notifiers'>,
    dir: string,
    warn: (text: string) => void,
    timeoutMs = TIMEOUT_MS,
  ) {
    this.#timeoutMs = timeoutMs
    this.#notifiers = notifiers
    this.#dir = dir
    this.#warn = warn
  }

  tell(alert: Alert): void {
    for (const notifier of this.#notifiers) {
      if (this.#waiting >= MOST_WAITING) {
        this.#warn(
          `the notifier ${notifier.name} of the plugin ${notifier.plugin} is too slow: an alert is not told`,
        )
        continue
      }
      this.#waiting++
      this.#told = this.#told.then(async () => {
        const {signal} = this.#closing
        const options = {point: 'notifier', timeoutMs: this.#timeoutMs, dir: this.#dir, signal}
        try {
          const own = structuredClone(alert)
          await callPlugin(notifier, (run, context) => run(own, context), options)
        } catch (error) {
          this.#complain(error)
        }
        this.#waiting--
      })
    }
  }

  /** Of the end it is told once, not for each that it cut off. */
  #complain(error: unknown): void {
    if (error === this.#saidLast) return
    this.#saidLast = error
    this.#warn((error as Error).message)
  }

  /** Waits until all is told, but not for as many time-outs as there are alerts: the end must come. */
  async close(): Promise<void> {
    const timer = setTimeout(() => {
      this.#closing.abort(new Error(`${this.#waiting} alerts were not told to plugins before the end`))
    }, this.#timeoutMs)
    await this.#told
    clearTimeout(timer)
  }
}
