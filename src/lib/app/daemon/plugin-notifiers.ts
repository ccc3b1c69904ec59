// Notifiers of plugins, told of every alert in its order and beside the loop. One that fails is said to, by name, in the
// log; the alert itself is there too, so that nothing is lost with it.
import type {Alert} from '../../model/daemon.ts'
import {callPlugin} from '../../plugin/call-plugin.ts'
import type {Extensions} from '../../plugin/extensions.ts'

const TIMEOUT_MS = 15_000
/** More than that wait for somebody who hangs: the oldest are given up, and said to be. */
const MOST_WAITING = 1000

export class PluginNotifiers {
  readonly #notifiers: Extensions['notifiers']
  readonly #warn: (text: string) => void
  readonly #dir: string
  #waiting = 0
  #told: Promise<void> = Promise.resolve()

  constructor({notifiers}: Pick<Extensions, 'notifiers'>, dir: string, warn: (text: string) => void) {
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
        const options = {point: 'notifier', timeoutMs: TIMEOUT_MS, dir: this.#dir}
        try {
          await callPlugin(notifier, (run, context) => run(alert, context), options)
        } catch (error) {
          this.#warn((error as Error).message)
        }
        this.#waiting--
      })
    }
  }

  /** Waits until all is told. */
  settle(): Promise<void> {
    return this.#told
  }
}
