// Goes on only with the operator's word: a typed yes on a terminal, or --auto-approve. Anything else is a no.
import {FelhomError} from '../model/felhom-error.ts'
import {askForYes, canAsk} from './prompt.ts'

export interface Confirmation {
  /** One line: what the yes stands for. */
  readonly question: string
  readonly autoApprove: boolean
  readonly signal: AbortSignal
}

/** Throws `declined`; a yes is the only way past it. */
export async function confirm({question, autoApprove, signal}: Confirmation): Promise<void> {
  if (autoApprove) return
  const doubt = 'Nothing was changed.'
  if (!canAsk()) {
    throw new FelhomError('declined', 'there is no terminal to ask on', {
      hint: 'Look at it first; then say --auto-approve.',
      doubt,
    })
  }
  const isYes = await askForYes(`\n${question}\nOnly 'yes' will be accepted: `, signal)
  if (!isYes) throw new FelhomError('declined', 'the answer was not yes', {doubt})
}
