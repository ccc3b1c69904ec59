// A clock that stands until somebody sleeps, and then jumps over the pause. Pauses are remembered.
import type {Clock} from '../../src/lib/engine/ports.ts'

export class VirtualPauses implements Clock {
  readonly pausesMs: number[] = []
  #nowMs: number
  /** While false a sleep lasts until its signal. */
  jumps = true

  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  now(): number {
    return this.#nowMs
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) throw signal.reason
    if (!this.jumps) await new Promise((_, reject) => signal?.addEventListener('abort', reject))
    this.pausesMs.push(ms)
    this.#nowMs += ms
    // Others have their turn, as they would.
    await new Promise((resolve) => setImmediate(resolve))
  }
}
