import {Args} from '@oclif/core'
import {findInJournal} from '../../lib/app/journal/journal-find.ts'
import {openJournalView} from '../../lib/app/journal/journal-view.ts'
import {showOptionValue} from '../../lib/app/plan/plan-cluster.ts'
import {JournalCommand} from '../../lib/cli/journal-command.ts'
import {terminalWidth} from '../../lib/cli/terminal-width.ts'
import {encodeRun, encodeStory} from '../../lib/report/journal-json.ts'
import {renderRun} from '../../lib/report/journal-list-text.ts'
import {renderStory} from '../../lib/report/journal-show-text.ts'

export default class JournalShow extends JournalCommand {
  static override summary = 'Tell the whole story of an operation, or of a run.'
  static override description =
    'Of an operation: what was asked of Proxmox, what it replaced, its task, and every record with its time. Of a run: its operations. The beginning or the end of a name will do if it means one thing only.'
  static override examples = [
    '<%= config.bin %> journal show 20261118T060311-ab12.3',
    '<%= config.bin %> journal show ab12.3',
    '<%= config.bin %> journal show ab12',
  ]
  static override args = {
    name: Args.string({required: true, name: 'OP|RUN', description: 'An operation or a run.'}),
  }

  override async run(): Promise<unknown> {
    const {args, flags} = await this.parse(JournalShow)
    const settings = await this.useSettings(flags.config)
    const found = await findInJournal(await openJournalView(settings), args.name)
    const options = {palette: this.palette(), nowMs: Date.now()}
    if (found.kind === 'run') {
      this.print(renderRun(found, {...options, width: process.stdout.columns || Infinity}))
      return encodeRun(found)
    }
    this.print(renderStory(found.story, {...options, width: terminalWidth(), showValue: showOptionValue}))
    return encodeStory(found.story)
  }
}
