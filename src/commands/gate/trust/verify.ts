import {verifyTrust} from '../../../lib/app/gate/gate-trust-look.ts'
import {EXIT} from '../../../lib/cli/exit-codes.ts'
import {terminalWidth} from '../../../lib/cli/terminal-width.ts'
import {TrustCommand} from '../../../lib/cli/trust-command.ts'
import {renderHistory} from '../../../lib/report/trust-text.ts'

export default class GateTrustVerify extends TrustCommand {
  static override summary = 'Check every version of the trust store, from the pinned first one on.'
  static override description =
    'Looks at the files as the gate does: owners, modes and links, every hash, every signature, every rule of rotation, the expiry, and whether an older version was put back. Exit code 3 if the gate would not believe it.'
  static override examples = ['<%= config.bin %> gate trust verify']

  override async run(): Promise<unknown> {
    const {flags} = await this.parse(GateTrustVerify)
    const settings = await this.useSettings(flags.config)
    const history = await verifyTrust(settings, Date.now())
    this.print(renderHistory(history, this.palette(), terminalWidth()))
    if (history.problem) process.exitCode = EXIT.gateRefused
    return history
  }
}
