import {Flags} from '@oclif/core'
import {checkAudit, findAuditHead, isWhole, listAudit} from '../../lib/app/gate/gate-audit.ts'
import {EXIT} from '../../lib/cli/exit-codes.ts'
import {GateCommand} from '../../lib/cli/gate-command.ts'
import {renderAudit, renderCheckedAudit, showHead} from '../../lib/report/gate-audit-text.ts'

export default class GateAudit extends GateCommand {
  static override summary = 'Show what the gate has decided, and check that nothing of it was changed.'
  static override description = `Every decision, with who had signed and why it was refused, and what people did to the trust store, to approvals and to the clock. Takes no lock.

The records are chained by hashes: --verify finds what was changed or taken out of the middle. That the end was cut off shows only against a head that was kept elsewhere: keep what --head prints, and check it later with --verify --anchor.`
  static override examples = [
    '<%= config.bin %> gate audit',
    '<%= config.bin %> gate audit --verify',
    '<%= config.bin %> gate audit --head',
  ]
  static override flags = {
    verify: Flags.boolean({summary: 'Check every record; exit code 7 if one is not as it was written.'}),
    anchor: Flags.string({
      helpValue: 'HEAD',
      dependsOn: ['verify'],
      summary: 'An earlier head that must still be in it.',
    }),
    head: Flags.boolean({summary: 'Print only the head.', exclusive: ['verify']}),
    limit: Flags.integer({default: 50, min: 1, max: 100_000, helpValue: 'N', summary: 'How many to show.'}),
  }

  override async run(): Promise<unknown> {
    const {flags} = await this.parse(GateAudit)
    const settings = await this.useSettings(flags.config)
    if (flags.head) {
      const head = await findAuditHead(settings)
      this.print(showHead(head))
      return {head: head ?? null}
    }
    const checked = flags.verify ? await checkAudit(settings, flags.anchor) : undefined
    if (checked && !isWhole(checked)) {
      this.print(renderCheckedAudit(checked, this.textOptions()))
      this.leaveWith(EXIT.journal)
      return {check: checked}
    }
    const {records, total} = await listAudit(settings, flags.limit)
    this.print(renderAudit(records, total, this.textOptions()))
    if (checked) this.print(`\n${renderCheckedAudit(checked, this.textOptions())}`)
    return {records, total, check: checked ?? null}
  }
}
