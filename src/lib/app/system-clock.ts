// The clock on the wall, for whatever can be given another in a test.
import {setTimeout as wait} from 'node:timers/promises'
import type {Clock} from '../engine/ports.ts'

/** A longer timer of Node fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** An aborted sleep rejects with the reason of its signal. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      let leftMs = ms
      do {
        await wait(Math.min(leftMs, LONGEST_TIMER_MS), undefined, signal && {signal})
        leftMs -= LONGEST_TIMER_MS
      } while (leftMs > 0)
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error
    }
  },
}
