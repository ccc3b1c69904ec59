import {Flags} from '@oclif/core'
import {rotateTrust} from '../../../lib/app/gate/gate-trust-rotate.ts'
import {parseThresholds} from '../../../lib/app/gate/gate-trust-thresholds.ts'
import {momentFlag} from '../../../lib/cli/moment-flag.ts'
import {
  newKeyFlags,
  readNewKeys,
  readSigning,
  signingFlags,
  thresholdFlag,
  TrustCommand,
} from '../../../lib/cli/trust-command.ts'

export default class GateTrustRotate extends TrustCommand {
  static override summary = 'Change who may sign: propose the next version of the trust store and sign it.'
  static override description = `The next version comes into force when the threshold of the recovery role has signed it, before and after the change, and every new key too. The operational role can sign for operational keys that come or go, and for nothing else. Exit code 3 while signatures are wanting.

Without a change to make, signatures are added to the version that is proposed already. Approvals that were signed under an older version count no more. When it comes into force, that is written to the audit.`
  static override examples = [
    '<%= config.bin %> gate trust rotate --revoke alice --add-operational alice=new.pub',
    '<%= config.bin %> gate trust rotate --signature 2.proposal.json.sig',
    '<%= config.bin %> gate trust rotate --renew --expires 365d --key recovery',
  ]
  static override flags = {
    'add-operational': Flags.string({
      multiple: true,
      helpValue: '[NAME=]KEY.pub',
      summary: 'Somebody who shall sign operations. May be repeated.',
    }),
    'add-recovery': Flags.string({
      multiple: true,
      helpValue: '[NAME=]KEY.pub',
      summary: 'Somebody who shall change the trust store. May be repeated.',
    }),
    remove: Flags.string({
      multiple: true,
      helpValue: 'WHO',
      summary: 'A person, with all keys, or the fingerprint of one key. May be repeated.',
    }),
    revoke: Flags.string({
      multiple: true,
      helpValue: 'WHO',
      summary: 'The same, and these keys can never come back. May be repeated.',
    }),
    threshold: thresholdFlag,
    expires: momentFlag({summary: 'When the new version ends; without it, when the one in force does.'}),
    renew: Flags.boolean({summary: 'A new version even if nothing else is changed.'}),
    ...newKeyFlags,
    ...signingFlags,
  }

  override async run(): Promise<unknown> {
    const {flags} = await this.parse(GateTrustRotate)
    const settings = await this.useSettings(flags.config)
    const changes = {
      ...(flags.remove && {remove: flags.remove}),
      ...(flags.revoke && {revoke: flags.revoke}),
      ...(flags.threshold && {thresholds: parseThresholds(flags.threshold)}),
      ...(flags.expires !== undefined && {expiresMs: flags.expires}),
    }
    const proposal = await this.untilInterrupted((signal) =>
      rotateTrust(settings, {
        ...readSigning(flags),
        ...readNewKeys(flags),
        tell: (text) => {
          this.tell(text)
        },
        upkeep: this.upkeep(settings, flags['lock-timeout'], signal),
        addOperational: flags['add-operational'] ?? [],
        addRecovery: flags['add-recovery'] ?? [],
        changes,
        renew: flags.renew,
        discard: flags.discard,
      }),
    )
    if (proposal) this.reportProposal(proposal)
    else this.print('What was proposed is dropped. The version in force is as it was.')
    return proposal ?? {discarded: true}
  }
}
