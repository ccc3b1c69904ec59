// A bell that ends a sleep early. Rung while nobody sleeps, it ends the next one.
import type {Clock} from '../../engine/ports.ts'

export class WakeUp {
  #isRung = false
  #wake: AbortController | undefined

  get isRung(): boolean {
    return this.#isRung
  }

  ring(): void {
    this.#isRung = true
    this.#wake?.abort()
  }

  /** Whether it was rung since it was last asked. */
  takeRing(): boolean {
    const was = this.#isRung
    this.#isRung = false
    return was
  }

  /** To the end, to a ring, or to `stop`. */
  async sleep(clock: Clock, ms: number, stop: AbortSignal): Promise<void> {
    if (this.#isRung || stop.aborted) return
    const wake = new AbortController()
    this.#wake = wake
    const hear = (): void => wake.abort()
    stop.addEventListener('abort', hear, {once: true})
    try {
      await clock.sleep(ms, wake.signal)
    } catch (error) {
      if (!wake.signal.aborted) throw error
    } finally {
      stop.removeEventListener('abort', hear)
      this.#wake = undefined
    }
  }
}
