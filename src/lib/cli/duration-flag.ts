// A flag whose value is a duration with its unit: milliseconds for the command, `10s` for whoever types it.
import {Flags} from '@oclif/core'
import {parseDuration} from '../app/parse-duration.ts'
import {FelhomError} from '../model/felhom-error.ts'

export const durationFlag = Flags.custom<number>({
  helpValue: 'DURATION',
  parse: (text, _context, options) => {
    const read = parseDuration(text)
    if ('ms' in read) return Promise.resolve(read.ms)
    throw new FelhomError(
      'usage',
      `--${options.name} expects ${read.expected}, not ${JSON.stringify(text)}`,
      {
        doubt: 'Nothing was done.',
      },
    )
  },
})

/** How long to wait for another felhom that holds the state directory. */
export const lockTimeoutFlag = durationFlag({
  default: 10_000,
  defaultHelp: () => Promise.resolve('10s'),
  summary: 'How long to wait for another felhom that holds the state directory.',
})
