import {Args, Flags} from '@oclif/core'
import {findDocument} from '../../lib/app/gate/gate-documents.ts'
import {describeSignatures} from '../../lib/app/gate/gate-judge.ts'
import {rejectApproval} from '../../lib/app/gate/gate-upkeep.ts'
import {lockTimeoutFlag} from '../../lib/cli/duration-flag.ts'
import {GateCommand} from '../../lib/cli/gate-command.ts'
import {encodeStatementView, renderStatement} from '../../lib/report/gate-statement-text.ts'

export default class GateReject extends GateCommand {
  static override summary = 'Make an approval void for ever.'
  static override description =
    'Its nonce is kept as rejected, so that no copy of it allows anything here any more. That is written to the audit. Whoever still wants the action signs a new statement.'
  static override examples = ['<%= config.bin %> gate reject 9f2c81d04b6a77e1 --reason "wrong guest"']
  static override args = {
    approval: Args.string({required: true, description: 'The file of an approval, or its ID.'}),
  }
  static override flags = {
    reason: Flags.string({helpValue: 'TEXT', summary: 'Why; kept in the audit.'}),
    'lock-timeout': lockTimeoutFlag,
  }

  override async run(): Promise<unknown> {
    const {args, flags} = await this.parse(GateReject)
    const settings = await this.useSettings(flags.config)
    const document = findDocument(process.cwd(), settings, args.approval, (text) => {
      this.addWarning(text)
    })
    const view = {...document, signatures: describeSignatures(document)}
    this.print(renderStatement(view, this.textOptions()))
    await this.untilInterrupted((signal) =>
      rejectApproval(
        this.upkeep(settings, flags['lock-timeout'], signal),
        document,
        flags.reason ?? 'rejected',
      ),
    )
    this.print('\nIt is void: no copy of it allows anything here any more.')
    return {rejected: encodeStatementView(view)}
  }
}
