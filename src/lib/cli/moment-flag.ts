// A flag whose value is a time to come: epoch milliseconds for the command; a day, a time or a duration for people.
import {Flags} from '@oclif/core'
import {parseMoment} from '../app/parse-moment.ts'
import {FelhomError} from '../model/felhom-error.ts'

export const momentFlag = Flags.custom<number>({
  helpValue: 'WHEN',
  parse: (text, _context, options) => {
    const read = parseMoment(text, Date.now())
    if ('ms' in read) return Promise.resolve(read.ms)
    throw new FelhomError(
      'usage',
      `--${options.name} expects ${read.expected}, not ${JSON.stringify(text)}`,
      {doubt: 'Nothing was done.'},
    )
  },
})
