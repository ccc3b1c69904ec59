import {Args, Flags} from '@oclif/core'
import {readSuspensionWish} from '../lib/app/suspend/read-suspension-wish.ts'
import {suspendGuests} from '../lib/app/suspend/suspend-guests.ts'
import {durationFlag, lockTimeoutFlag} from '../lib/cli/duration-flag.ts'
import {JournalCommand} from '../lib/cli/journal-command.ts'
import {momentFlag} from '../lib/cli/moment-flag.ts'
import {encodeSuspension, renderSuspended, type SuspensionJson} from '../lib/report/suspension-text.ts'

export default class Suspend extends JournalCommand {
  static override summary = 'Tell the daemon to leave a guest alone, or all of them.'
  static override description =
    'It goes on planning and reporting, and begins nothing on a suspended guest until felhom resume or the end of the time. That holds for a pass that is under way, too: it asks before each action. What it has begun by then goes on to its end. An apply of yours is not kept from it, but says so. Written to the audit, by the next pass if one has the audit now.'
  static override examples = [
    '<%= config.bin %> suspend lxc/101 --reason "restoring it by hand"',
    '<%= config.bin %> suspend --all --for 2h',
  ]
  static override args = {
    guest: Args.string({description: 'The guest, as lxc/101 or 101.'}),
  }
  static override flags = {
    all: Flags.boolean({summary: 'All guests, those of tomorrow too.'}),
    reason: Flags.string({helpValue: 'TEXT', summary: 'Why; shown wherever the guest is.'}),
    until: momentFlag({summary: 'When it ends by itself.', exclusive: ['for']}),
    for: durationFlag({summary: 'How long it holds, in place of --until.'}),
    'lock-timeout': lockTimeoutFlag,
  }

  override async run(): Promise<{suspended: SuspensionJson; replaced: SuspensionJson | null}> {
    const {args, flags} = await this.parse(Suspend)
    const settings = await this.useSettings(flags.config)
    const wish = readSuspensionWish({...args, ...flags}, Date.now())
    const {suspension, replaced, busy} = await this.untilInterrupted((signal) =>
      suspendGuests(this.upkeep(settings, flags['lock-timeout'], signal), wish, Date.now),
    )
    if (busy !== undefined)
      this.addWarning(
        `The state directory is held by ${busy}. What was begun there goes on to its end, and the audit tells of this as soon as a pass of the daemon, felhom suspend or felhom resume has it next.`,
      )
    this.print(renderSuspended(suspension, replaced))
    return {
      suspended: encodeSuspension(suspension),
      replaced: replaced ? encodeSuspension(replaced) : null,
    }
  }
}
