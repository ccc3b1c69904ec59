// Observers of plugins, told of each event of a run in its order. One that fails ends the run: nothing new is begun
// behind the back of somebody who was to see it.
import type {RunEvent} from '../../model/run-event.ts'
import {callPlugin, type CallOptions} from '../../plugin/call-plugin.ts'
import type {Extensions} from '../../plugin/extensions.ts'

const TIMEOUT_MS = 10_000

export class Observers {
  readonly #observers: Extensions['observers']
  readonly #options: CallOptions
  readonly #failed = new AbortController()
  #told: Promise<void> = Promise.resolve()

  constructor({observers}: Pick<Extensions, 'observers'>, dir: string, timeoutMs = TIMEOUT_MS) {
    this.#observers = observers
    this.#options = {point: 'observer', timeoutMs, dir}
  }

  /** Aborted when one has failed. */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  tell(event: RunEvent): void {
    for (const observer of this.#observers) {
      this.#told = this.#told.then(async () => {
        if (this.#failed.signal.aborted) return
        try {
          // Each has one of its own: nobody can change what the others, or felhom itself, go by.
          const own = structuredClone(event)
          await callPlugin(observer, (run, context) => run(own, context), this.#options)
        } catch (error) {
          this.#failed.abort(error)
        }
      })
    }
  }

  /** Waits until all is told; what one of them threw, if it did. */
  async settle(): Promise<Error | undefined> {
    await this.#told
    if (!this.#failed.signal.aborted) return undefined
    const reason: unknown = this.#failed.signal.reason
    return reason instanceof Error ? reason : new Error(String(reason))
  }
}
