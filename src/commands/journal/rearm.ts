import {Flags} from '@oclif/core'
import {rearm} from '../../lib/app/journal/journal-upkeep.ts'
import {openJournalView} from '../../lib/app/journal/journal-view.ts'
import {confirm} from '../../lib/cli/confirm.ts'
import {lockTimeoutFlag} from '../../lib/cli/duration-flag.ts'
import {JournalCommand} from '../../lib/cli/journal-command.ts'
import {terminalWidth} from '../../lib/cli/terminal-width.ts'
import {renderAlarms} from '../../lib/report/journal-rearm-text.ts'

export default class JournalRearm extends JournalCommand {
  static override summary = 'Allow destructive work again after unknown tasks of this token were found.'
  static override description =
    'Tasks of its own token that the journal does not know mean that the state directory is an old copy, or that somebody else uses the token: until you have looked at them, felhom does nothing destructive. Your word is kept in the journal.'
  static override examples = ['<%= config.bin %> journal rearm']
  static override flags = {
    'auto-approve': Flags.boolean({summary: 'Do not ask.'}),
    'lock-timeout': lockTimeoutFlag,
  }

  override async run(): Promise<{rearmed: readonly string[]}> {
    const {flags} = await this.parse(JournalRearm)
    const settings = await this.useSettings(flags.config)
    const upids = (await openJournalView(settings)).disarmed()
    const options = {palette: this.palette(), width: terminalWidth(), nowMs: Date.now()}
    this.print(renderAlarms(upids, options))
    if (upids.length === 0) return {rearmed: []}
    await this.untilInterrupted(async (signal) => {
      const question = 'Is all of this accounted for, and may destructive work go on?'
      await confirm({question, autoApprove: flags['auto-approve'], signal})
      await rearm(this.upkeep(settings, flags['lock-timeout'], signal), upids)
    })
    this.print('\nDestructive work is armed again.')
    return {rearmed: upids}
  }
}
