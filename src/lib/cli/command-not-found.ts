// A command that does not exist: say so in felhom's manner, with what was probably meant, and exit 64. Nothing
// that was only guessed is ever run.
import {Errors, type Hook} from '@oclif/core'
import {nearestWord} from '../model/nearest-word.ts'
import {renderError} from '../report/error-text.ts'
import {makePalette} from '../report/palette.ts'
import {terminalWidth} from './base-command.ts'
import {colourOn} from './colour.ts'
import {EXIT} from './exit-codes.ts'

const commandNotFound: Hook<'command_not_found'> = async ({id, config}) => {
  const asked = id.replaceAll(':', ' ')
  const known = config.commands.filter((c) => !c.hidden).map((c) => c.id.replaceAll(':', ' '))
  const near = nearestWord(asked, known) ?? known.find((name) => name.startsWith(`${asked} `))
  const hint = near === undefined ? 'felhom --help lists the commands.' : `Did you mean: felhom ${near}`
  const error = {code: 'usage', message: `there is no command '${asked}'`, hint}
  process.stderr.write(`${renderError(error, makePalette(colourOn(process.stderr)), terminalWidth())}\n`)
  await Promise.resolve()
  throw new Errors.ExitError(EXIT.usage)
}

export default commandNotFound
