// Which of the outcomes in a directory are of jobs that nothing is done for, oldest first. Each file is read once in the
// life of a process: whoever sends forged jobs for months must not make us read all files for each of them.
import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {readOutcome, type WrittenOutcome} from './read-outcome.ts'

const OUTCOME = /^([A-Za-z0-9_-]{1,64})\.json$/

export class OutcomeIndex {
  /** True once it was told that outcomes had to go. */
  isTold = false
  readonly #dir: string
  /** By nonce: when it was written, in text that sorts by time; undefined: it is proven, and stays. */
  readonly #known = new Map<string, string | undefined>()

  constructor(dir: string) {
    this.#dir = dir
  }

  note(nonce: string, outcome: WrittenOutcome): void {
    const {at} = outcome
    this.#known.set(nonce, isProvenOutcome(outcome) ? undefined : typeof at === 'string' ? at : '')
  }

  listUnproven(): string[] {
    const present = readdirSync(this.#dir).flatMap((name) => OUTCOME.exec(name)?.[1] ?? [])
    for (const nonce of present)
      if (!this.#known.has(nonce)) this.note(nonce, readOutcome(join(this.#dir, `${nonce}.json`)) ?? {})
    const gone = new Set(this.#known.keys())
    for (const nonce of present) gone.delete(nonce)
    for (const nonce of gone) this.#known.delete(nonce)
    const found = present.flatMap((nonce) => {
      const at = this.#known.get(nonce)
      return at === undefined ? [] : [{nonce, at}]
    })
    return found.sort((a, b) => (a.at < b.at ? -1 : 1)).map(({nonce}) => nonce)
  }
}

/** As our own records know it: what a job of the same number says later is nothing against it. */
export const isProvenOutcome = ({operation, refusal}: WrittenOutcome): boolean =>
  typeof operation === 'string' || refusal === 'replay'
