import {Flags} from '@oclif/core'
import {readDocument} from '../../lib/app/gate/gate-documents.ts'
import {submitSignatures, type SavedApproval} from '../../lib/app/gate/gate-sign.ts'
import {lockTimeoutFlag} from '../../lib/cli/duration-flag.ts'
import {EXIT} from '../../lib/cli/exit-codes.ts'
import {GateCommand} from '../../lib/cli/gate-command.ts'
import {renderSaved} from '../../lib/report/gate-saved-text.ts'

export default class GateSubmit extends GateCommand {
  static override summary = 'Take signatures that were made on another machine.'
  static override description =
    'Every signature is checked over the exact bytes of the statement, and the whole as the gate will check it; then the approval is kept in the approvals directory, together with signatures that are there already. Exit code 3 while signatures are wanting.'
  static override examples = [
    '<%= config.bin %> gate submit --statement statement.json --sig statement.json.sig',
  ]
  static override flags = {
    statement: Flags.string({
      required: true,
      helpValue: 'FILE',
      summary: 'What felhom gate export wrote.',
    }),
    sig: Flags.string({
      required: true,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'FILE',
      summary: 'What ssh-keygen -Y sign wrote. May be repeated.',
    }),
    out: Flags.string({
      helpValue: 'FILE',
      summary: 'Where to write it, in place of the approvals directory.',
    }),
    'lock-timeout': lockTimeoutFlag,
  }

  override async run(): Promise<SavedApproval> {
    const {flags} = await this.parse(GateSubmit)
    const settings = await this.useSettings(flags.config)
    const cwd = process.cwd()
    const document = readDocument(cwd, flags.statement)
    const saved = await this.untilInterrupted((signal) => {
      const upkeep = this.upkeep(settings, flags['lock-timeout'], signal)
      const place = {settings, cwd, out: flags.out, nowMs: Date.now(), upkeep}
      return submitSignatures(document, flags.sig, place)
    })
    this.print(renderSaved(saved, this.palette()))
    if (saved.wanting) this.leaveWith(EXIT.gateRefused)
    return saved
  }
}
