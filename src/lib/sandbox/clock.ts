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
  /** undefined once it was woken or its signal aborted it. */
  wake: (() => void) | undefined
}

const isBefore = (a: Sleeper, b: Sleeper): boolean =>
  a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order)

/** A clock that stands still until told to advance; sleepers wake in the order in which they are due. */
export class VirtualClock implements Clock {
  #nowMs: number
  #order = 0
  /** A binary heap: a simulation of thousands of guests has thousands asleep. */
  readonly #heap: Sleeper[] = []

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
        sleeper.wake = undefined
        reject(abortReason(signal as AbortSignal))
      }
      // A task that sleeps often would otherwise gather a listener with each sleep.
      const wake = (): void => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }
      const sleeper: Sleeper = {dueMs: this.#nowMs + Math.max(0, ms), order: this.#order++, wake}
      this.#push(sleeper)
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
      this.#pop()
      this.#nowMs = Math.max(this.#nowMs, next.dueMs)
      next.wake?.()
      next.wake = undefined
    }
    this.#nowMs = end
    await settle()
  }

  /** Advances until `work` has settled; for callers that await something inside virtual time. */
  async run<T>(work: Promise<T>): Promise<T> {
    const progress = {ended: false}
    const mark = (): void => {
      progress.ended = true
    }
    work.then(mark, mark)
    await settle()
    while (!progress.ended) {
      const next = this.#earliest()
      if (!next) throw new Error('virtual time stands still: nothing is asleep and the work has not ended')
      await this.advance(next.dueMs - this.#nowMs)
    }
    return work
  }

  #earliest(): Sleeper | undefined {
    while (this.#heap[0] && !this.#heap[0].wake) this.#pop()
    return this.#heap[0]
  }

  #push(sleeper: Sleeper): void {
    const heap = this.#heap
    let at = heap.push(sleeper) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above]
      if (!parent || !isBefore(sleeper, parent)) break
      heap[at] = parent
      at = above
    }
    heap[at] = sleeper
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (!last || heap.length === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      const [left, right] = [heap[child], heap[child + 1]]
      if (left && right && isBefore(right, left)) child++
      const smaller = heap[child]
      if (!smaller || !isBefore(smaller, last)) break
      heap[at] = smaller
      at = child
    }
    heap[at] = last
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
