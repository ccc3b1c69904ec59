// Time as the sandbox sees it. Every delay of the sandbox passes through one Clock, so that the same
// core runs in real time behind HTTPS and in virtual time under a simulation.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

const abortReason = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason))

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(abortReason(signal))
        return
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }, ms)
      const onAbort = (): void => {
        clearTimeout(timer)
        reject(abortReason(signal as AbortSignal))
      }
      signal?.addEventListener('abort', onAbort, {once: true})
    }),
}

interface Sleeper {
  dueMs: number
  order: number
  wake: () => void
}

/** A clock that stands still until told to advance; sleepers wake in the order in which they are due. */
export class VirtualClock implements Clock {
  #nowMs: number
  #order = 0
  #sleepers: Sleeper[] = []

  constructor(startMs = 1_800_000_000_000) {
    this.#nowMs = startMs
  }

  now(): number {
    return this.#nowMs
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(abortReason(signal))
        return
      }
      const onAbort = (): void => {
        this.#sleepers = this.#sleepers.filter((s) => s !== sleeper)
        reject(abortReason(signal as AbortSignal))
      }
      const wake = (): void => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }
      const sleeper: Sleeper = {dueMs: this.#nowMs + Math.max(0, ms), order: this.#order++, wake}
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', onAbort, {once: true})
    })
  }

  /** Advances by `ms`, letting everything that falls due run, and what that in turn puts to sleep. */
  async advance(ms: number): Promise<void> {
    const end = this.#nowMs + ms
    for (;;) {
      await settle()
      const next = this.#earliest()
      if (!next || next.dueMs > end) break
      this.#sleepers = this.#sleepers.filter((s) => s !== next)
      this.#nowMs = Math.max(this.#nowMs, next.dueMs)
      next.wake()
    }
    this.#nowMs = end
    await settle()
  }

  /** Advances until `work` has settled; for callers that await something inside virtual time. */
  async run<T>(work: Promise<T>): Promise<T> {
    let done = false
    const mark = (): void => {
      done = true
    }
    work.then(mark, mark)
    await settle()
    while (!done) {
      const next = this.#earliest()
      if (!next) throw new Error('virtual time stands still: nothing is asleep and the work has not ended')
      await this.advance(next.dueMs - this.#nowMs)
    }
    return work
  }

  #earliest(): Sleeper | undefined {
    let first: Sleeper | undefined
    for (const s of this.#sleepers) {
      if (!first || s.dueMs < first.dueMs || (s.dueMs === first.dueMs && s.order < first.order)) first = s
    }
    return first
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
