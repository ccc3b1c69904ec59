// What every command shares: the settings flags, the JSON envelope, the rendering of errors and the exit
// codes. It knows oclif and the process; commands below it only parse, call one use case and report.
import {Command, Errors, Flags} from '@oclif/core'
import {DiagnosticsError} from '../model/diagnostics-error.ts'
import {FelhomError} from '../model/felhom-error.ts'
import {errorEnvelope, successEnvelope, type Envelope, type EnvelopeError} from '../report/envelope.ts'
import {renderError} from '../report/error-text.ts'
import {escapeLines} from '../report/escape-text.ts'
import {makePalette, type Palette} from '../report/palette.ts'
import {wrapText} from '../report/text-table.ts'
import {colourOn} from './colour.ts'
import {EXIT, exitCodeOf} from './exit-codes.ts'

export abstract class BaseCommand extends Command {
  static override enableJsonFlag = true

  static override baseFlags = {
    config: Flags.string({
      helpGroup: 'GLOBAL',
      helpValue: 'FILE',
      summary: 'Settings file in place of felhom.yaml in this directory.',
    }),
  }

  readonly #warnings: string[] = []

  /** For stdout. */
  protected palette(): Palette {
    return makePalette(colourOn(process.stdout))
  }

  protected print(text: string): void {
    if (text !== '') this.log('%s', text)
  }

  /** Something the user should know that does not stop the command; part of the envelope under --json. */
  protected addWarning(text: string): void {
    this.#warnings.push(text)
    if (this.jsonEnabled()) return
    const palette = makePalette(colourOn(process.stderr))
    const body = wrapText(escapeLines(text), terminalWidth() - 9).replaceAll('\n', '\n         ')
    process.stderr.write(`${palette.warn('Warning:')} ${body}\n`)
  }

  protected override toSuccessJson(result: unknown): Envelope {
    return successEnvelope(result, this.#warnings)
  }

  protected override toErrorJson(error: unknown): Envelope {
    return errorEnvelope(describe(error), this.#warnings)
  }

  /** Renders in the manner of felhom and sets the exit code; the streams are flushed as at any end. */
  protected override async catch(error: Error): Promise<void> {
    if (error instanceof Errors.ExitError) throw error
    process.exitCode = exitCodeFor(error)
    if (this.jsonEnabled()) {
      this.logJson(this.toErrorJson(error))
      return
    }
    const palette = makePalette(colourOn(process.stderr))
    process.stderr.write(`${renderError(describe(error), palette, terminalWidth())}\n`)
    if (process.exitCode === EXIT.unexpected && process.env['DEBUG'])
      process.stderr.write(`\n${error.stack ?? ''}\n`)
    await Promise.resolve()
  }
}

export function terminalWidth(): number {
  const columns = process.stderr.columns || process.stdout.columns || 80
  return Math.max(40, Math.min(columns, 100))
}

/** oclif's own errors carry the number that package.json gives them. */
function exitCodeFor(error: unknown): number {
  if (error instanceof FelhomError) return exitCodeOf(error.code)
  return error instanceof Errors.CLIError ? (error.oclif.exit ?? EXIT.usage) : EXIT.unexpected
}

function describe(error: unknown): EnvelopeError {
  if (error instanceof FelhomError) {
    return {
      code: error.code,
      message: error.message,
      ...(error.hint !== undefined && {hint: error.hint}),
      ...(error.doubt !== undefined && {doubt: error.doubt}),
      ...(error instanceof DiagnosticsError && {diagnostics: error.diagnostics}),
    }
  }
  if (error instanceof Errors.CLIError) {
    return {
      code: 'usage',
      message: error.message.replace(/\nSee more help with --help$/, ''),
      hint: 'See more with --help.',
    }
  }
  return {
    code: 'unexpected',
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    doubt: 'This is a bug in felhom. What it was about to do next was not done.',
    hint: 'Run it again with DEBUG=* for the place in the code, and report both.',
  }
}
