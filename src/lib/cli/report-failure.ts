// The way out for whatever went wrong, in a command or before one was found: felhom's own style on stderr, or
// one envelope on stdout, and the exit code.
import {errorEnvelope, type Envelope} from '../report/envelope.ts'
import {renderError} from '../report/error-text.ts'
import {toJsonText} from '../report/json-text.ts'
import {makePalette} from '../report/palette.ts'
import {colourOn} from './colour.ts'
import {describeError, exitCodeFor} from './describe-error.ts'
import {EXIT} from './exit-codes.ts'
import {terminalWidth} from './terminal-width.ts'

export interface FailureOptions {
  asJson: boolean
  warnings?: string[]
  /** How an envelope is printed. */
  frame?: (envelope: Envelope) => string
}

/** Sets the exit code instead of exiting, so that what was printed reaches its pipe whole. */
export function reportFailure(
  error: unknown,
  {asJson, warnings = [], frame = toJsonText}: FailureOptions,
): void {
  process.exitCode = exitCodeFor(error)
  const described = describeError(error)
  if (asJson) {
    process.stdout.write(`${frame(errorEnvelope(described, warnings))}\n`)
    return
  }
  const palette = makePalette(colourOn(process.stderr))
  process.stderr.write(`${renderError(described, palette, terminalWidth())}\n`)
  if (process.exitCode === EXIT.unexpected && process.env['DEBUG'] && error instanceof Error)
    process.stderr.write(`\n${error.stack ?? ''}\n`)
}
