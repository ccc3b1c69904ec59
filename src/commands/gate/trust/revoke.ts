import {Args} from '@oclif/core'
import {rotateTrust} from '../../../lib/app/gate/gate-trust-rotate.ts'
import {readSigning, signingFlags, TrustCommand} from '../../../lib/cli/trust-command.ts'

export default class GateTrustRevoke extends TrustCommand {
  static override summary = 'Take keys out of the trust store for good: a revoked key cannot be added again.'
  static override description = `Proposes the next version without these keys and with their revocation, and signs it, as felhom gate trust rotate does. The operational role can revoke operational keys; for a recovery key it takes the recovery role. When it comes into force, that is written to the audit. Exit code 3 while signatures are wanting.`
  static override examples = [
    '<%= config.bin %> gate trust revoke alice --key recovery',
    '<%= config.bin %> gate trust revoke alice --key bob',
  ]
  static override strict = false
  static override args = {
    who: Args.string({
      required: true,
      description: 'A person, with all keys, or the fingerprint of one key.',
    }),
  }
  static override flags = signingFlags

  override async run(): Promise<unknown> {
    const {flags, argv} = await this.parse(GateTrustRevoke)
    const settings = await this.useSettings(flags.config)
    const proposal = await this.untilInterrupted((signal) =>
      rotateTrust(settings, {
        ...readSigning(flags),
        tell: (text) => {
          this.tell(text)
        },
        upkeep: this.upkeep(settings, flags['lock-timeout'], signal),
        addOperational: [],
        addRecovery: [],
        changes: {revoke: argv as string[]},
        renew: false,
        requireUv: false,
        signAtHand: false,
        discard: flags.discard,
      }),
    )
    if (proposal) this.reportProposal(proposal)
    return proposal
  }
}
