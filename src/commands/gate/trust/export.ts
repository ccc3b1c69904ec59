import {Flags} from '@oclif/core'
import {exportTrust} from '../../../lib/app/gate/gate-trust-look.ts'
import {writeOutput} from '../../../lib/app/write-output.ts'
import {TrustCommand} from '../../../lib/cli/trust-command.ts'

export default class GateTrustExport extends TrustCommand {
  static override summary = "Write the signers as OpenSSH's allowed_signers, for checks without felhom."
  static override description = `With it, stock ssh-keygen can check any approval or version of the trust store:

  ssh-keygen -Y verify -f allowed_signers -r revoked -I alice -n felhom-op-v1@felhom -s FILE.sig < FILE

OpenSSH knows no roles, thresholds or PINs: what it calls good, the gate may still refuse.`
  static override examples = [
    '<%= config.bin %> gate trust export > allowed_signers',
    '<%= config.bin %> gate trust export --out allowed_signers --revoked revoked',
  ]
  static override flags = {
    out: Flags.string({helpValue: 'FILE', summary: 'Write to this file instead of printing.'}),
    revoked: Flags.string({helpValue: 'FILE', summary: 'Write the revoked keys to this file, for -r.'}),
  }

  override async run(): Promise<unknown> {
    const {flags} = await this.parse(GateTrustExport)
    const settings = await this.useSettings(flags.config)
    const exported = await exportTrust(settings, Date.now())
    if (flags.revoked !== undefined) writeOutput(process.cwd(), flags.revoked, exported.revokedKeys)
    if (flags.out === undefined) this.print(exported.allowedSigners.trimEnd())
    else writeOutput(process.cwd(), flags.out, exported.allowedSigners)
    return exported
  }
}
