// The kernel's lock on the state directory: one holder, free as soon as the holder is dead.
import type {VirtualClock} from '../../src/lib/sandbox/clock.ts'
import type {ProcessLife} from './process-life.ts'

const POLL_MS = 100

export class MachineLock {
  readonly #clock: VirtualClock
  #holder: ProcessLife | undefined

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  get holder(): ProcessLife | undefined {
    return this.#holder?.isAlive === true ? this.#holder : undefined
  }

  /** False: somebody else held it all the time. */
  async acquire(life: ProcessLife, timeoutMs: number): Promise<boolean> {
    const untilMs = this.#clock.now() + timeoutMs
    while (this.holder) {
      if (this.#clock.now() >= untilMs) return false
      await this.#clock.sleep(POLL_MS)
    }
    if (!life.isAlive) return false
    this.#holder = life
    return true
  }

  release(life: ProcessLife): void {
    if (this.#holder === life) this.#holder = undefined
  }
}
