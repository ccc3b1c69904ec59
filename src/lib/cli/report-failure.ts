// The way out for whatever went wrong, in a command or before one was found: felhom's own style on stderr, or
// one envelope on stdout, and the exit code.
import {isFelhomError} from '../model/felhom-error.ts'
import {errorEnvelope} from '../report/envelope.ts'
import {renderError} from '../report/error-text.ts'
import {makePalette} from '../report/palette.ts'
import {colourOn} from './colour.ts'
import {describeError, exitCodeFor} from './describe-error.ts'
import {EXIT} from './exit-codes.ts'
import {answer} from './json-answer.ts'
import {reasonToEnd} from './ordered-end.ts'
import {terminalWidth} from './terminal-width.ts'

export interface FailureOptions {
  asJson: boolean
  warnings?: string[]
}

/** Sets the exit code instead of exiting, so that what was printed reaches its pipe whole. */
export function reportFailure(error: unknown, {asJson, warnings = []}: FailureOptions): void {
  process.exitCode = exitCodeFor(error)
  const described = describeError(error)
  // What ends the process has been told on stderr as it failed, and counts for more than what came of it.
  const why = reasonToEnd()
  const isTold = why !== undefined && (error === why || isFelhomError(error, 'interrupted'))
  if (asJson) {
    const more = why === undefined || isTold ? [] : [described.message]
    answer(errorEnvelope(why ? describeError(why) : described, [...warnings, ...more]))
    return
  }
  if (isTold) return
  const palette = makePalette(colourOn(process.stderr))
  process.stderr.write(`${renderError(described, palette, terminalWidth())}\n`)
  if (process.exitCode === EXIT.unexpected && process.env['DEBUG'] && error instanceof Error)
    process.stderr.write(`\n${error.stack ?? ''}\n`)
}
