import {Args, Flags} from '@oclif/core'
import {readSuspendedGuest} from '../lib/app/suspend/read-suspension-wish.ts'
import {resumeGuests} from '../lib/app/suspend/suspend-guests.ts'
import {lockTimeoutFlag} from '../lib/cli/duration-flag.ts'
import {JournalCommand} from '../lib/cli/journal-command.ts'
import {encodeSuspension, renderResumed, type SuspensionJson} from '../lib/report/suspension-text.ts'

export default class Resume extends JournalCommand {
  static override summary = 'Let the daemon take up what was suspended.'
  static override description =
    'With --all it ends what suspend --all began; guests that were suspended one by one stay so, and are named. Written to the audit.'
  static override examples = ['<%= config.bin %> resume lxc/101', '<%= config.bin %> resume --all']
  static override args = {
    guest: Args.string({description: 'The guest, as lxc/101 or 101.'}),
  }
  static override flags = {
    all: Flags.boolean({summary: 'End the suspension of all guests.'}),
    'lock-timeout': lockTimeoutFlag,
  }

  override async run(): Promise<{resumed: SuspensionJson | null; suspended: SuspensionJson[]}> {
    const {args, flags} = await this.parse(Resume)
    const settings = await this.useSettings(flags.config)
    const vmid = readSuspendedGuest(args.guest, flags.all)
    const resumed = await this.untilInterrupted((signal) =>
      resumeGuests(this.upkeep(settings, flags['lock-timeout'], signal), vmid, Date.now),
    )
    const {lifted, left, aside} = resumed
    if (aside !== undefined)
      this.addWarning(`What was suspended could not be read; it was moved to ${aside} for you to look at.`)
    this.print(renderResumed(vmid, resumed))
    return {resumed: lifted ? encodeSuspension(lifted) : null, suspended: left.map(encodeSuspension)}
  }
}
