// What one pass leaves to the next, kept in the state directory: cron starts a process for each, and whoever restarts
// the daemon has not mended what fails. It is a better guess and nothing more: what cannot be read is begun anew, and
// then what fails is tried at once, and what was refused is asked and audited once more.
import {join} from 'node:path'
import {replaceFile} from '../../store/replace-file.ts'
import type {Failing} from './back-offs.ts'
import type {FailingJob} from './jobs/job-back-offs.ts'
import {count, encodeKept, guestId, list, loadKept, object, text} from './kept-file.ts'

export interface KeptMemory {
  readonly backOffs: readonly Failing[]
  readonly jobBackOffs: readonly FailingJob[]
  /** Digests of what was asked and what the gate has said. */
  readonly refusals: readonly string[]
  /** The same of signed jobs, by nonce. */
  readonly jobRefusals: readonly (readonly [string, string])[]
}

/** Where it is kept; neither of them throws. */
export interface MemoryKeeper {
  load(): KeptMemory | undefined
  /** The caller holds the lock of the state directory. */
  save(kept: KeptMemory): void
}

export const memoryFile = (state: string): string => join(state, 'pass-memory.json')

export function keepMemory(path: string, warn: (text: string) => void): MemoryKeeper {
  let last: string | undefined
  return {
    load: () => {
      const found = loadKept(path, decode, 'what has failed is tried at once', warn)
      last = found && encodeKept(found)
      return found
    },
    save: (kept) => {
      const encoded = encodeKept(kept)
      // Nothing new in it: a pass that finds nothing to do writes nothing.
      if (encoded === last) return
      try {
        replaceFile(path, encoded)
        last = encoded
      } catch (error) {
        warn(`${path} cannot be written: ${(error as Error).message}`)
      }
    },
  }
}

const decode = ({backOffs, jobBackOffs, refusals, jobRefusals}: Record<string, unknown>): KeptMemory => ({
  backOffs: list(backOffs).map(decodeFailing),
  // Younger than the file.
  jobBackOffs: jobBackOffs === undefined ? [] : list(jobBackOffs).map(decodeFailingJob),
  refusals: list(refusals).map(text),
  jobRefusals: list(jobRefusals).map(decodePair),
})

function decodeFailing(value: unknown): Failing {
  const {guest, failures, untilMs, pauseMs, work} = object(value)
  return {
    guest: guestId(guest),
    failures: count(failures),
    untilMs: count(untilMs),
    pauseMs: count(pauseMs),
    work: text(work),
  }
}

function decodeFailingJob(value: unknown): FailingJob {
  const {nonce, failures, untilMs, pauseMs} = object(value)
  return {
    nonce: text(nonce),
    failures: count(failures),
    untilMs: count(untilMs),
    pauseMs: count(pauseMs),
  }
}

function decodePair(value: unknown): readonly [string, string] {
  const [a, b] = list(value)
  return [text(a), text(b)]
}
