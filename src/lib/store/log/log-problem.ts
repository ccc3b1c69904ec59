// Damage, said so that the operator finds the place and knows what to do.
import {FelhomError} from '../../model/felhom-error.ts'

export interface LogProblem {
  readonly file: string
  readonly line: number
  /** In bytes, of the line's beginning. */
  readonly offset: number
  readonly message: string
  /** No damage: a newer felhom wrote it. */
  readonly isNewer?: true
}

const HINT =
  'Look at it with: felhom journal verify. To go on without what is damaged: felhom journal verify --repair. If the disk or a restore is at fault, mend that first.'
export const NEWER_HINT = 'A newer felhom wrote it: use that one.'

export function corruptError(problem: LogProblem): FelhomError {
  const {file, line, offset, message, isNewer} = problem
  return new FelhomError('journal_corrupt', `${file}, line ${line} (byte ${offset}): ${message}`, {
    hint: isNewer ? NEWER_HINT : HINT,
    doubt: 'Nothing was written and nothing was sent.',
  })
}

export function failedError(what: string, path: string, cause: unknown): FelhomError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new FelhomError('journal_failed', `${what} ${path} failed: ${reason}`, {
    cause,
    hint: 'Check the free space (df) and the health of the disk (dmesg), then: felhom recover.',
    doubt: 'What was being recorded does not count as recorded, and nothing was sent because of it.',
  })
}
