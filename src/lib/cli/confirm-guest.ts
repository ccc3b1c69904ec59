// Goes on only if the operator names the guest: whoever signs for the wrong one is stopped by a name, not by a yes.
import {FelhomError} from '../model/felhom-error.ts'
import {escapeText} from '../report/escape-text.ts'
import {askForWord, canAsk} from './prompt.ts'

export interface GuestConfirmation {
  /** What must be typed. */
  readonly word: string
  /** Said on the command line, in place of being typed. */
  readonly given: string | undefined
  readonly signal: AbortSignal
}

/** Throws `declined`. */
export async function confirmGuest({word, given, signal}: GuestConfirmation): Promise<void> {
  const doubt = 'Nothing was signed.'
  if (given !== undefined) {
    if (given === word) return
    throw new FelhomError('declined', `--confirm names ${given}, and this is about ${word}`, {doubt})
  }
  if (!canAsk())
    throw new FelhomError('declined', 'there is no terminal to ask on', {
      hint: 'Look at it with felhom gate show; then name the guest with --confirm NAME.',
      doubt,
    })
  const question = `\nTo sign this, type the guest's name (${escapeText(word)}): `
  if (await askForWord(question, word, signal)) return
  throw new FelhomError('declined', "that was not the guest's name", {doubt})
}
