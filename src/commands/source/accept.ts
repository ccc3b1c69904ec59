import {Args} from '@oclif/core'
import {acceptSource} from '../../lib/app/source/accept-source.ts'
import {lockTimeoutFlag} from '../../lib/cli/duration-flag.ts'
import {JournalCommand} from '../../lib/cli/journal-command.ts'
import {escapeText} from '../../lib/report/escape-text.ts'

export default class SourceAccept extends JournalCommand {
  static override summary = 'Let a revision of the source pass that was refused.'
  static override description =
    'For one that is older than what was seen, or has lost more guests than max_shrink allows. It holds for exactly this revision, once, at the next pass of the daemon; what is no valid desired state stays refused. Written to the audit.'
  static override examples = ['<%= config.bin %> source accept 3f9c2b7a41d0']
  static override args = {
    revision: Args.string({
      required: true,
      description: "As 'felhom source show' names it, or at least its first 8 characters.",
    }),
  }
  static override flags = {'lock-timeout': lockTimeoutFlag}

  override async run(): Promise<{accepted: string; place: string; reason: string}> {
    const {args, flags} = await this.parse(SourceAccept)
    const settings = await this.useSettings(flags.config)
    const {revision, place, reason} = await this.untilInterrupted((signal) =>
      acceptSource(this.upkeep(settings, flags['lock-timeout'], signal), args.revision),
    )
    this.print(`The next pass of the daemon takes ${escapeText(revision)} of ${escapeText(place)}.`)
    return {accepted: revision, place, reason}
  }
}
