// What every command shares: the settings flags, the JSON envelope, the rendering of errors and the exit
// codes. It knows oclif and the process; commands below it only parse, call one use case and report.
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {Command, Flags} from '@oclif/core'
import {NO_EXTENSIONS, type Extensions} from '../plugin/extensions.ts'
import {successEnvelope, type Envelope} from '../report/envelope.ts'
import {escapeLines} from '../report/escape-text.ts'
import {toJsonText} from '../report/json-text.ts'
import {makePalette, type Palette} from '../report/palette.ts'
import {wrapText} from '../report/text-table.ts'
import {colourOn} from './colour.ts'
import {describeError, silentExitCode} from './describe-error.ts'
import {answer, frameAnswer} from './json-answer.ts'
import {reasonToEnd} from './ordered-end.ts'
import {reportFailure} from './report-failure.ts'
import {terminalWidth} from './terminal-width.ts'

export abstract class BaseCommand extends Command {
  static override enableJsonFlag = true

  static override baseFlags = {
    config: Flags.string({
      helpGroup: 'GLOBAL',
      helpValue: 'FILE',
      summary: 'Settings file in place of felhom.yaml in this directory.',
    }),
  }

  /** What must work beside a broken plugin says false: its removal above all. */
  static usesPlugins = true

  readonly #warnings: string[] = []
  protected extensions: Extensions = NO_EXTENSIONS

  override async init(): Promise<void> {
    await super.init()
    frameAnswer((envelope) => this.frame(envelope))
    const {usesPlugins} = this.constructor as typeof BaseCommand
    if (!usesPlugins) return
    const {giveUp} = this
    this.extensions = {...(await this.loadPlugins()), ...(giveUp && {giveUp})}
  }

  /** Aborted where whoever waits for code of plugins does so no more; undefined: a signal ends the process by itself. */
  protected get giveUp(): AbortSignal | undefined {
    return undefined
  }

  /**
   * Throws plugin_failed. Nothing is loaded for it where no plugin was ever installed; where nobody can tell, the program
   * has ended before it came to its command.
   */
  protected async loadPlugins(allow?: readonly string[]): Promise<Extensions> {
    if (!existsSync(join(this.config.dataDir, 'package.json')) && (allow?.length ?? 0) === 0)
      return NO_EXTENSIONS
    const {loadPlugins} = await import('./load-plugins.ts')
    const {giveUp: signal} = this
    return loadPlugins(this.config, {...(allow && {allow}), ...(signal && {signal})})
  }

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
    const envelope = successEnvelope(result, this.#warnings)
    const why = reasonToEnd()
    return why === undefined ? envelope : {...envelope, ok: false, error: describeError(why)}
  }

  override logJson(json: unknown): void {
    answer(json as Envelope)
  }

  /** The envelope as it is printed. */
  protected frame(envelope: Envelope): string {
    return toJsonText(envelope)
  }

  /** Renders in the manner of felhom and sets the exit code; the streams are flushed as at any end. */
  protected override async catch(error: Error): Promise<void> {
    if (silentExitCode(error) !== undefined) throw error
    reportFailure(error, {asJson: this.jsonEnabled(), warnings: this.#warnings})
    await Promise.resolve()
  }
}
