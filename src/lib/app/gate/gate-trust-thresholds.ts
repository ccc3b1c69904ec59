// Thresholds as the command line writes them: `2` for all operations, `guest.destroy=2` for one, `recovery=2`.
import type {ThresholdName} from '../../gate/trust-document.ts'
import {isThresholdName, THRESHOLD_NAMES} from '../../gate/trust-decode.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import {nearestWord} from '../../model/nearest-word.ts'

export type Thresholds = Readonly<Partial<Record<ThresholdName, number>>>

const FORM = /^(?:([a-z_.]+)=)?([1-9]\d?)$/

/** Throws usage. */
export function parseThresholds(texts: readonly string[]): Thresholds {
  return Object.fromEntries(texts.map(parseThreshold))
}

function parseThreshold(text: string): [ThresholdName, number] {
  const [, name = 'default', count] = FORM.exec(text) ?? []
  if (count === undefined)
    throw usage(
      `--threshold expects a number of people, or OPERATION=NUMBER, not ${JSON.stringify(text)}`,
      'Such as --threshold 2, --threshold guest.destroy=2 or --threshold recovery=2.',
    )
  if (isThresholdName(name)) return [name, Number(count)]
  const near = nearestWord(name, THRESHOLD_NAMES)
  throw usage(
    `there is no operation ${name} to set a threshold for`,
    near === undefined ? `There are: ${THRESHOLD_NAMES.join(', ')}` : `Did you mean ${near}?`,
  )
}

const usage = (message: string, hint: string): FelhomError =>
  new FelhomError('usage', message, {hint, doubt: 'Nothing was written.'})
