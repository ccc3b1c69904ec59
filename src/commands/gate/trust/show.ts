import {showTrust} from '../../../lib/app/gate/gate-trust-look.ts'
import {terminalWidth} from '../../../lib/cli/terminal-width.ts'
import {TrustCommand} from '../../../lib/cli/trust-command.ts'
import {renderProposal, renderTrust} from '../../../lib/report/trust-text.ts'

export default class GateTrustShow extends TrustCommand {
  static override summary = 'Show who may sign, in which role, until when, and how many people it takes.'
  static override description =
    'Reads and checks the whole trust store first. A version that waits for signatures is shown below the one in force.'
  static override examples = ['<%= config.bin %> gate trust show', '<%= config.bin %> gate trust show --json']

  override async run(): Promise<unknown> {
    const {flags} = await this.parse(GateTrustShow)
    const settings = await this.useSettings(flags.config)
    const look = await showTrust(settings, Date.now())
    this.print(renderTrust(look.trust, this.palette(), terminalWidth()))
    const {proposal} = look
    if (proposal && 'problem' in proposal)
      this.addWarning(`What is proposed as version ${proposal.version} cannot be: ${proposal.problem}`)
    else if (proposal) this.print(`\n${renderProposal(proposal, this.palette(), terminalWidth())}`)
    return look
  }
}
