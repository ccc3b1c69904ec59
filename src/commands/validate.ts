import {Args, Flags} from '@oclif/core'
import {openDesired} from '../lib/app/source/open-desired.ts'
import {requireValid} from '../lib/app/source/use-desired.ts'
import {useSettings} from '../lib/app/use-settings.ts'
import {validateDesired, type ValidationOutcome} from '../lib/app/source/validate-desired.ts'
import {BaseCommand} from '../lib/cli/base-command.ts'
import {EXIT} from '../lib/cli/exit-codes.ts'
import {terminalWidth} from '../lib/cli/terminal-width.ts'
import {renderGithub} from '../lib/report/github-annotations.ts'
import {toJsonText} from '../lib/report/json-text.ts'
import {renderJunit} from '../lib/report/junit.ts'
import {buildSarif} from '../lib/report/sarif.ts'
import {renderValidation} from '../lib/report/validation-text.ts'

const FORMS = ['text', 'json', 'github', 'sarif', 'junit'] as const
type Form = (typeof FORMS)[number]

export default class Validate extends BaseCommand {
  static override summary = 'Check desired-state files, without a connection and without credentials.'
  static override description =
    'Every mistake is told with its place, what was expected and what was probably meant. Directories are searched for .yaml and .yml files. Exit code 65 if there is any mistake.'
  static override examples = [
    '<%= config.bin %> validate',
    '<%= config.bin %> validate guests/ --output sarif > felhom.sarif',
    'cat guests.yaml | <%= config.bin %> validate -',
  ]
  static override strict = false
  static override args = {
    path: Args.string({
      name: 'path...',
      description: "Files or directories, '-' for standard input; default: the setting 'desired'.",
    }),
  }
  static override flags = {
    output: Flags.option({
      options: FORMS,
      summary: 'Form of the outcome on stdout; text unless said otherwise.',
      exclusive: ['json'],
    })(),
  }

  #form: Form = 'text'

  override jsonEnabled(): boolean {
    return this.#form === 'json' || super.jsonEnabled()
  }

  override async run(): Promise<{files: readonly string[]; guests: number}> {
    const {flags, argv} = await this.parse(Validate)
    this.#form = flags.output ?? 'text'
    const outcome = await validateDesired(await this.#openDesired(argv as string[], flags.config))
    if (this.jsonEnabled()) requireValid(outcome.reading)
    if (outcome.mistakeCount > 0) process.exitCode = EXIT.invalid
    this.print(this.#render(outcome))
    return {files: outcome.files, guests: outcome.guestCount}
  }

  /** Settings are asked only for what the command line leaves open. */
  async #openDesired(
    paths: string[],
    configFile: string | undefined,
  ): Promise<ReturnType<typeof openDesired>> {
    const cwd = process.cwd()
    if (paths.length > 0) return openDesired({cwd, paths, setting: undefined})
    const {settings} = await useSettings({cwd, env: process.env, ...(configFile && {configFile})})
    return openDesired({
      cwd,
      paths,
      setting: settings.desired,
      secrets: settings.secrets,
      extensions: this.extensions,
    })
  }

  #render(outcome: ValidationOutcome): string {
    switch (this.#form) {
      case 'github':
        return renderGithub(outcome)
      case 'sarif':
        return toJsonText(buildSarif(outcome, {version: this.config.version}))
      case 'junit':
        return renderJunit(outcome, new Date())
      default:
        return renderValidation(outcome, this.palette(), terminalWidth())
    }
  }
}
