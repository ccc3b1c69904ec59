// Which passes that did not come to their end are nothing to tell anybody: the one that was told to end, and those that
// found an operator at work beside the daemon, unless he stays for long.
import type {PassReport} from '../../../model/daemon.ts'

/** An apply beside the daemon may take its time; somebody who forgot a terminal is worth a word. */
export const LONG_LOCKED_MS = 15 * 60_000

export class Patience {
  #lockedSinceMs: number | undefined

  /** `nowMs`: on a clock that is never set. */
  excuses({problem}: PassReport, nowMs: number, isStopping: boolean): boolean {
    if (problem?.code !== 'journal_locked') {
      this.#lockedSinceMs = undefined
      return problem?.code === 'interrupted' && isStopping
    }
    this.#lockedSinceMs ??= nowMs
    return nowMs - this.#lockedSinceMs < LONG_LOCKED_MS
  }
}
