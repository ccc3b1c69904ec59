import {Flags} from '@oclif/core'
import {checkJournal, mendJournal} from '../../lib/app/journal/journal-check.ts'
import {confirm} from '../../lib/cli/confirm.ts'
import {lockTimeoutFlag} from '../../lib/cli/duration-flag.ts'
import {EXIT} from '../../lib/cli/exit-codes.ts'
import {JournalCommand} from '../../lib/cli/journal-command.ts'
import {terminalWidth} from '../../lib/cli/terminal-width.ts'
import {renderCheck, renderRepair} from '../../lib/report/journal-verify-text.ts'

export default class JournalVerify extends JournalCommand {
  static override summary = 'Check every record of the journal; with --repair, make a damaged one usable.'
  static override description = `Reads every segment and every hash, takes no lock and changes nothing. Exit code 7 with file, line and byte of each damaged place.

With --repair the damaged files are kept aside as they are, and all that can still be trusted is carried over. What is lost may be the only trace of an operation that still runs: compare with the task list of Proxmox afterwards. Nothing destructive is done until felhom journal rearm.`
  static override examples = ['<%= config.bin %> journal verify', '<%= config.bin %> journal verify --repair']
  static override flags = {
    repair: Flags.boolean({summary: 'Make a damaged journal usable again, after a typed yes.'}),
    'auto-approve': Flags.boolean({summary: 'Repair without asking.', dependsOn: ['repair']}),
    'lock-timeout': lockTimeoutFlag,
  }

  override async run(): Promise<unknown> {
    const {flags} = await this.parse(JournalVerify)
    const settings = await this.useSettings(flags.config)
    const [palette, width] = [this.palette(), terminalWidth()]
    const checked = await checkJournal(settings)
    this.print(renderCheck(checked, palette, width))
    if (checked.problems.length === 0) return {...checked, repair: null}
    process.exitCode = EXIT.journal
    if (!flags.repair) {
      this.print('\nNothing was changed. See what can be saved with: felhom journal verify --repair')
      return {...checked, repair: null}
    }
    const repair = await this.untilInterrupted(async (signal) => {
      const question = 'Set the damaged files aside and go on with what can be trusted?'
      await confirm({question, autoApprove: flags['auto-approve'], signal})
      return mendJournal(settings, process.env, this.upkeep(settings, flags['lock-timeout'], signal))
    })
    this.print(`\n${renderRepair(repair, palette, width)}`)
    process.exitCode = EXIT.ok
    return {...checked, repair}
  }
}
