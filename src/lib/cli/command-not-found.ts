// A command that does not exist: say so in felhom's manner, with what was probably meant, and exit 64. Nothing
// that was only guessed is ever run.
import type {Hook} from '@oclif/core'
import {FelhomError} from '../model/felhom-error.ts'
import {nearestWord} from '../model/nearest-word.ts'

const commandNotFound: Hook<'command_not_found'> = ({id, config}) => {
  const asked = id.replaceAll(':', ' ')
  const known = config.commands.filter((c) => !c.hidden).map((c) => c.id.replaceAll(':', ' '))
  const near = nearestWord(asked, known) ?? known.find((name) => name.startsWith(`${asked} `))
  const hint = near === undefined ? 'felhom --help lists the commands.' : `Did you mean: felhom ${near}`
  return Promise.reject(new FelhomError('usage', `there is no command '${asked}'`, {hint}))
}

export default commandNotFound
