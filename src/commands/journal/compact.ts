import {Flags} from '@oclif/core'
import {compactJournal} from '../../lib/app/journal/journal-upkeep.ts'
import {durationFlag, lockTimeoutFlag} from '../../lib/cli/duration-flag.ts'
import {JournalCommand} from '../../lib/cli/journal-command.ts'
import {renderCompaction} from '../../lib/report/journal-verify-text.ts'

const DAY_MS = 24 * 3600 * 1000

export default class JournalCompact extends JournalCommand {
  static override summary = 'Remove old history from the journal.'
  static override description =
    'Removes whole segments that ended long enough ago. Operations that are open and keys that were used are kept whatever their age, and the segment in use stays.'
  static override examples = [
    '<%= config.bin %> journal compact',
    '<%= config.bin %> journal compact --older-than 30d --rotate',
  ]
  static override flags = {
    'older-than': durationFlag({
      default: 90 * DAY_MS,
      defaultHelp: () => Promise.resolve('90d'),
      summary: 'How long ago a segment must have ended.',
    }),
    rotate: Flags.boolean({summary: 'End the segment in use first, so that its age begins to count.'}),
    'lock-timeout': lockTimeoutFlag,
  }

  override async run(): Promise<unknown> {
    const {flags} = await this.parse(JournalCompact)
    const settings = await this.useSettings(flags.config)
    const compaction = await this.untilInterrupted((signal) =>
      compactJournal(this.upkeep(settings, flags['lock-timeout'], signal), {
        olderThanMs: flags['older-than'],
        rotate: flags.rotate,
      }),
    )
    this.print(renderCompaction(compaction))
    return compaction
  }
}
