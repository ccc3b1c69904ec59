// Which log is damaged, and what its operator can do: for every log something else.
import {FelhomError, isFelhomError} from '../../model/felhom-error.ts'
import {NEWER_HINT} from './log-problem.ts'

export async function explainDamage<T>(log: string, hint: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw nameLog(error, log, hint)
  }
}

export function nameLog(error: unknown, log: string, hint: string): unknown {
  if (!isFelhomError(error, 'journal_corrupt')) return error
  return new FelhomError('journal_corrupt', `${log}/${error.message}`, {
    cause: error,
    hint: error.hint === NEWER_HINT ? NEWER_HINT : hint,
    doubt: error.doubt ?? '',
  })
}
