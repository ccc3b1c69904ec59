import {Args, Flags} from '@oclif/core'
import {draftApproval} from '../../lib/app/gate/gate-draft.ts'
import {readDocument} from '../../lib/app/gate/gate-documents.ts'
import {describeSignatures} from '../../lib/app/gate/gate-judge.ts'
import {OPERATION_NAMESPACE} from '../../lib/app/gate/gate-sign.ts'
import {writeOutput} from '../../lib/app/write-output.ts'
import {GateCommand, jobFlag, lifetimeFlag, planFlags} from '../../lib/cli/gate-command.ts'
import {renderExport} from '../../lib/report/gate-saved-text.ts'
import {encodeStatementView, renderStatement} from '../../lib/report/gate-statement-text.ts'

export default class GateExport extends GateCommand {
  static override summary = 'Write a statement to a file, to be signed on another machine.'
  static override description =
    'The file holds the exact bytes to sign. Any machine with OpenSSH can sign them, without felhom and without a way to Proxmox; the signature comes back with felhom gate submit.'
  static override examples = ['<%= config.bin %> gate export 9f2c81d04b6a77e1 --out statement.json']
  static override args = {
    approval: Args.string({
      description: 'An ID of felhom gate pending, or the file of an approval that others have signed.',
    }),
  }
  static override flags = {
    ...planFlags,
    job: jobFlag,
    out: Flags.string({required: true, helpValue: 'FILE', summary: 'Where to write the statement.'}),
    reason: Flags.string({helpValue: 'TEXT', summary: 'Why; it is signed too.'}),
    'expires-in': lifetimeFlag,
  }

  override async run(): Promise<unknown> {
    const {args, flags} = await this.parse(GateExport)
    const settings = await this.useSettings(flags.config)
    const document = await this.untilInterrupted((signal) =>
      this.choose(
        {approval: args.approval, job: flags.job},
        {
          fromFile: (file) => readDocument(process.cwd(), file),
          fromLive: async (id) => {
            const look = await this.lookRequest(settings, signal, flags)
            const request = {...look, id, lifetimeMs: flags['expires-in'], reason: flags.reason}
            return (await draftApproval(request)).document
          },
        },
      ),
    )
    writeOutput(process.cwd(), flags.out, Buffer.from(document.payload).toString('utf8'))
    const view = {...document, file: flags.out, signatures: describeSignatures(document)}
    const statement = renderStatement(view, this.textOptions())
    this.print(`${statement}\n\n${renderExport(flags.out, OPERATION_NAMESPACE)}`)
    return encodeStatementView(view)
  }
}
