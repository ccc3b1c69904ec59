// A clock that can be stopped for good: whoever sleeps then sleeps on, and no timer keeps the process alive.
import type {Clock} from '../clock.ts'

export class StoppableClock implements Clock {
  readonly #clock: Clock
  readonly #asleep = new Set<AbortController>()
  #isStopped = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  now(): number {
    return this.#clock.now()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const waker = new AbortController()
    const forward = (): void => {
      waker.abort(signal?.reason)
    }
    if (signal?.aborted) forward()
    signal?.addEventListener('abort', forward, {once: true})
    this.#asleep.add(waker)
    return new Promise((resolve, reject) => {
      const settle = (outcome: () => void) => (): void => {
        signal?.removeEventListener('abort', forward)
        this.#asleep.delete(waker)
        if (!this.#isStopped) outcome()
      }
      const refuse = (): void => {
        reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
      }
      this.#clock.sleep(ms, waker.signal).then(settle(resolve), settle(refuse))
    })
  }

  stop(): void {
    this.#isStopped = true
    for (const waker of this.#asleep) waker.abort()
  }
}
