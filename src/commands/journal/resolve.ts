import {Args, Flags} from '@oclif/core'
import {considerResolution} from '../../lib/app/journal/journal-resolve.ts'
import {resolveOperation} from '../../lib/app/journal/journal-upkeep.ts'
import {openJournalView} from '../../lib/app/journal/journal-view.ts'
import {confirm} from '../../lib/cli/confirm.ts'
import {lockTimeoutFlag} from '../../lib/cli/duration-flag.ts'
import {JournalCommand} from '../../lib/cli/journal-command.ts'
import {terminalWidth} from '../../lib/cli/terminal-width.ts'
import {renderOpenOperation} from '../../lib/report/journal-inflight-text.ts'
import {encodeOperation, type OperationJson} from '../../lib/report/journal-json.ts'

export default class JournalResolve extends JournalCommand {
  static override summary = 'Give your word on how an open operation ended, and release its guest.'
  static override description =
    'For operations of which recover cannot tell. Nothing is sent to Proxmox: the next plan begins with what is really there. Refused while the task still runs, or may still begin, if Proxmox can be asked.'
  static override examples = [
    '<%= config.bin %> journal resolve 20261118T060311-ab12.3 --as failed --reason "gone"',
    '<%= config.bin %> journal resolve ab12.3 --as succeeded',
  ]
  static override args = {
    op: Args.string({
      required: true,
      description: 'The operation; the beginning or the end of its name will do.',
    }),
  }
  static override flags = {
    as: Flags.option({
      options: ['succeeded', 'failed'] as const,
      required: true,
      summary: 'How it ended.',
    })(),
    reason: Flags.string({helpValue: 'TEXT', summary: 'Why you say so; kept in the journal.'}),
    offline: Flags.boolean({summary: 'Do not ask Proxmox.'}),
    force: Flags.boolean({summary: 'Even while its task still runs or may still begin.'}),
    'auto-approve': Flags.boolean({summary: 'Do not ask.'}),
    'lock-timeout': lockTimeoutFlag,
  }

  override async run(): Promise<OperationJson> {
    const {args, flags} = await this.parse(JournalResolve)
    const settings = await this.useSettings(flags.config)
    const resolved = await this.untilInterrupted(async (signal) => {
      const view = await openJournalView(settings)
      const ask = flags.offline ? undefined : {settings, env: process.env, signal}
      const {open, unasked} = await considerResolution(view, args.op, {ask, force: flags.force})
      if (unasked !== undefined) this.addWarning(`Proxmox could not be asked about it: ${unasked}.`)
      const options = {palette: this.palette(), width: terminalWidth(), nowMs: Date.now()}
      this.print(renderOpenOperation(open, options))
      const question = `Is it certain that this operation has ${flags.as}, and will do nothing more?`
      await confirm({question, autoApprove: flags['auto-approve'], signal})
      const reason = flags.reason ?? "the operator's word"
      const upkeep = this.upkeep(settings, flags['lock-timeout'], signal)
      return resolveOperation(upkeep, open.operation, {as: flags.as, reason})
    })
    this.print(`\n${resolved.intent.op} has ${flags.as}; its guest is released.`)
    return encodeOperation(resolved)
  }
}
