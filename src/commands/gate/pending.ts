import {describeEntries, isHeldBack} from '../../lib/app/gate/gate-check.ts'
import {lookAtGate} from '../../lib/app/gate/gate-look.ts'
import {EXIT} from '../../lib/cli/exit-codes.ts'
import {GateCommand, planFlags} from '../../lib/cli/gate-command.ts'
import {renderPending, type GateItem} from '../../lib/report/gate-check-text.ts'

export default class GatePending extends GateCommand {
  static override summary = 'List what waits for a signature.'
  static override description =
    'The actions of the live plan that can lose data and have no valid approval. The ID is the beginning of the digest of the action: it names this operation on this very guest. Exit code 3 if there are any.'
  static override examples = ['<%= config.bin %> gate pending']
  static override flags = planFlags

  override async run(): Promise<{pending: readonly GateItem[]}> {
    const {flags} = await this.parse(GatePending)
    const settings = await this.useSettings(flags.config)
    const pending = await this.untilInterrupted(async (signal) => {
      const look = await lookAtGate(await this.lookRequest(settings, signal, flags))
      return describeEntries(look).filter((item) => item.class === 'destructive' && isHeldBack(item))
    })
    this.print(renderPending(pending, this.textOptions()))
    if (pending.length > 0) this.leaveWith(EXIT.gateRefused)
    return {pending}
  }
}
