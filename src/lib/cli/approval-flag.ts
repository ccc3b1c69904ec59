// Approvals that are handed over on the command line.
import {Flags} from '@oclif/core'

export const approvalFlag = Flags.string({
  multiple: true,
  multipleNonGreedy: true,
  helpValue: 'FILE',
  summary: 'An approval beside those of the approvals directory. May be repeated.',
})
