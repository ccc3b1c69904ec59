import {lookAtSource} from '../../lib/app/source/look-at-source.ts'
import {JournalCommand} from '../../lib/cli/journal-command.ts'
import {terminalWidth} from '../../lib/cli/terminal-width.ts'
import {encodeSource, renderSource, type SourceJson} from '../../lib/report/source-text.ts'

export default class SourceShow extends JournalCommand {
  static override summary = 'Show how the source of desired state stood at the last pass of the daemon.'
  static override description =
    'What is used, since when, and what was refused and why. Reads the state directory only: the source is not asked, and no lock is taken.'
  static override examples = ['<%= config.bin %> source show', '<%= config.bin %> source show --json']

  override async run(): Promise<SourceJson> {
    const {flags} = await this.parse(SourceShow)
    const settings = await this.useSettings(flags.config)
    const view = lookAtSource(settings, process.cwd(), this.extensions)
    this.print(renderSource(view, {palette: this.palette(), width: terminalWidth(), nowMs: Date.now()}))
    return encodeSource(view)
  }
}
