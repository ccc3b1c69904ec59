import {Args, Flags} from '@oclif/core'
import {draftApproval, type Draft} from '../../lib/app/gate/gate-draft.ts'
import {readDocument} from '../../lib/app/gate/gate-documents.ts'
import {describeSignatures} from '../../lib/app/gate/gate-judge.ts'
import {signApproval, type SavedApproval} from '../../lib/app/gate/gate-sign.ts'
import {confirmGuest} from '../../lib/cli/confirm-guest.ts'
import {lockTimeoutFlag} from '../../lib/cli/duration-flag.ts'
import {EXIT} from '../../lib/cli/exit-codes.ts'
import {GateCommand, jobFlag, lifetimeFlag, planFlags} from '../../lib/cli/gate-command.ts'
import {renderSaved} from '../../lib/report/gate-saved-text.ts'
import {renderStatement} from '../../lib/report/gate-statement-text.ts'

export default class GateSign extends GateCommand {
  static override summary = 'Sign for one action that can lose data.'
  static override description = `Builds the statement from what is there now, shows it, has you type the guest's name, and signs it with ssh-keygen: a key in a file, in the agent, or on a security key. The approval is checked as the gate will check it, and kept in the approvals directory.

Where more than one person must sign, the others name the same ID, or the file. Exit code 3 while signatures are wanting.`
  static override examples = [
    '<%= config.bin %> gate sign 9f2c81d04b6a77e1 --key ~/.ssh/id --reason "moved"',
    '<%= config.bin %> gate sign approvals/9f2c81d04b6a77e1-q0Zr….json --key bob.pub',
  ]
  static override args = {
    approval: Args.string({
      description: 'An ID of felhom gate pending, or the file of an approval that others have signed.',
    }),
  }
  static override flags = {
    ...planFlags,
    job: jobFlag,
    key: Flags.string({
      required: true,
      helpValue: 'FILE',
      summary: 'Your key: a private one, or the .pub of one in the agent or on a security key.',
    }),
    reason: Flags.string({helpValue: 'TEXT', summary: 'Why; it is signed too.'}),
    'expires-in': lifetimeFlag,
    confirm: Flags.string({helpValue: 'NAME', summary: "The guest's name, in place of typing it."}),
    out: Flags.string({
      helpValue: 'FILE',
      summary: 'Where to write it, in place of the approvals directory.',
    }),
    'lock-timeout': lockTimeoutFlag,
  }

  override async run(): Promise<SavedApproval> {
    const {args, flags} = await this.parse(GateSign)
    const settings = await this.useSettings(flags.config)
    const saved = await this.untilInterrupted(async (signal) => {
      const {document, word} = await this.choose(
        {approval: args.approval, job: flags.job},
        {
          fromFile: draftFromFile,
          fromLive: async (id) => {
            const look = await this.lookRequest(settings, signal, flags)
            return draftApproval({...look, id, lifetimeMs: flags['expires-in'], reason: flags.reason})
          },
        },
      )
      const view = {...document, signatures: describeSignatures(document)}
      this.print(renderStatement(view, this.textOptions()))
      await confirmGuest({word, given: flags.confirm, signal})
      const [cwd, env] = [process.cwd(), process.env]
      const upkeep = this.upkeep(settings, flags['lock-timeout'], signal)
      const place = {settings, cwd, out: flags.out, nowMs: Date.now(), upkeep}
      return signApproval({...place, document, key: flags.key, env})
    })
    this.print(`\n${renderSaved(saved, this.palette())}`)
    if (saved.wanting) this.leaveWith(EXIT.gateRefused)
    return saved
  }
}

/** The statement holds no name: the guest is named as it is in there. */
function draftFromFile(file: string): Draft {
  const document = readDocument(process.cwd(), file)
  const {kind, vmid} = document.statement.target
  return {document, word: `${kind}/${vmid}`}
}
