// The verdict on what the source said last, if it was refused: a source that keeps saying it is not read anew in every
// pass. Worth no more than the time that it saves; a restart begins without it.
import type {DesiredReading} from '../../../model/desired.ts'
import type {BundleCase, Verdict} from './judge-bundle.ts'

/** All that the verdict on a revision depends on, within one daemon with its settings. */
export type RefusalCase = Pick<BundleCase, 'older' | 'before' | 'isAccepted'> & {readonly revision: string}

export class RefusedRevision {
  #last: {readonly of: RefusalCase; readonly verdict: Verdict} | undefined

  recall(of: RefusalCase): Verdict | undefined {
    return this.#last && isSame(this.#last.of, of) ? this.#last.verdict : undefined
  }

  remember(of: RefusalCase, verdict: Verdict, reading: DesiredReading): void {
    this.#last = 'desired' in verdict || isOfThisMachine(reading) ? undefined : {of, verdict}
  }
}

const isSame = (a: RefusalCase, b: RefusalCase): boolean =>
  a.revision === b.revision &&
  a.older === b.older &&
  a.isAccepted === b.isAccepted &&
  a.before?.length === b.before?.length &&
  (a.before ?? []).every((vmid, i) => vmid === b.before?.[i])

/** Where its secrets lead can be mended here, without another revision. */
const isOfThisMachine = (reading: DesiredReading): boolean =>
  !reading.valid && reading.diagnostics.some(({code}) => code === 'secret_elsewhere')
