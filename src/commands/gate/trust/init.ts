import {Flags} from '@oclif/core'
import {initTrust} from '../../../lib/app/gate/gate-trust-init.ts'
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
import {renderPin} from '../../../lib/report/trust-text.ts'

const YEAR_MS = 365 * 86_400_000

export default class GateTrustInit extends TrustCommand {
  static override summary = 'Make a trust store: who may allow data loss, and who may replace lost keys.'
  static override description = `Builds version 1 from public keys and has every one of them sign it: those whose private half lies beside the .pub file or in the agent at once, the others later with --key or --signature. Exit code 3 while signatures are wanting.

A person is named by the comment of the key, or as alice=KEY.pub; thresholds count people, not keys. Recovery keys sign nothing but changes of the trust store: keep them offline.

When everybody has signed, the lines for felhom.yaml are printed. The hash in them pins this very version. It is written to the audit.`
  static override examples = [
    '<%= config.bin %> gate trust init --operational a.pub --recovery safe.pub --threshold 1',
    '<%= config.bin %> gate trust init --signature 1.proposal.json.sig',
  ]
  static override flags = {
    operational: Flags.string({
      multiple: true,
      helpValue: '[NAME=]KEY.pub',
      summary: 'Somebody who may sign operations. May be repeated.',
    }),
    recovery: Flags.string({
      multiple: true,
      helpValue: '[NAME=]KEY.pub',
      summary: 'Somebody who may change the trust store, and nothing else. May be repeated.',
    }),
    threshold: thresholdFlag,
    expires: momentFlag({
      summary: 'When the version ends: a day, a time, or a duration from now.',
      defaultHelp: () => Promise.resolve('365d'),
    }),
    dir: Flags.string({
      helpValue: 'DIRECTORY',
      summary: 'Where to make it, in place of the trust.dir of the settings, or trust.',
    }),
    ...newKeyFlags,
    ...signingFlags,
  }

  override async run(): Promise<unknown> {
    const {flags} = await this.parse(GateTrustInit)
    const settings = await this.useSettings(flags.config)
    const signing = readSigning(flags)
    const made = await this.untilInterrupted((signal) =>
      initTrust({
        ...signing,
        ...readNewKeys(flags),
        tell: (text) => {
          this.tell(text)
        },
        upkeep: this.upkeep(settings, flags['lock-timeout'], signal),
        dir: flags.dir ?? settings.trust.dir ?? 'trust',
        operational: flags.operational ?? [],
        recovery: flags.recovery ?? [],
        thresholds: parseThresholds(flags.threshold ?? []),
        expiresMs: flags.expires ?? Math.floor((signing.nowMs + YEAR_MS) / 1000) * 1000,
        discard: flags.discard,
      }),
    )
    this.reportProposal(made)
    if (made.inForce) this.print(`\n${renderPin(made)}`)
    return made
  }
}
