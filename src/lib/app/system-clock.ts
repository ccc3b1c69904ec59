// The clock on the wall, for whatever can be given another in a test.
import {setTimeout as wait} from 'node:timers/promises'
import type {Clock} from '../engine/ports.ts'

/** An aborted sleep rejects with the reason of its signal. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, signal && {signal})
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error
    }
  },
}
