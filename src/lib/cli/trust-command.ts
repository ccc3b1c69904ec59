// What the commands around the trust store share: flags of keys and signatures, and how a proposal is reported.
import {Flags} from '@oclif/core'
import {renderProposal, type ProposalView} from '../report/trust-text.ts'
import {lockTimeoutFlag} from './duration-flag.ts'
import {EXIT} from './exit-codes.ts'
import {JournalCommand} from './journal-command.ts'
import {momentFlag} from './moment-flag.ts'
import {terminalWidth} from './terminal-width.ts'

/** For whoever collects signatures over the next version. */
export const signingFlags = {
  key: Flags.string({
    multiple: true,
    helpValue: 'KEY',
    summary: 'Sign now with this key: a private one, or the .pub of one in the agent. May be repeated.',
  }),
  signature: Flags.string({
    multiple: true,
    helpValue: 'FILE',
    summary: 'Take a signature that was made elsewhere with ssh-keygen -Y sign. May be repeated.',
  }),
  discard: Flags.boolean({summary: 'Drop a version that was proposed earlier and waits for signatures.'}),
  'lock-timeout': lockTimeoutFlag,
}

/** For keys that come in. */
export const newKeyFlags = {
  'require-pin': Flags.boolean({
    summary: 'Of the security keys named here, demand a PIN or fingerprint for every signature.',
  }),
  'not-before': momentFlag({summary: 'The keys named here may sign from then on only.'}),
  'not-after': momentFlag({summary: 'The keys named here may sign until then only.'}),
  offline: Flags.boolean({summary: 'Sign with none of the keys named here, even if they could.'}),
}

export const thresholdFlag = Flags.string({
  multiple: true,
  helpValue: '[OPERATION=]N',
  summary: 'People whose signatures an operation takes; recovery=N for the recovery role. May be repeated.',
})

export abstract class TrustCommand extends JournalCommand {
  /** What still waits for signatures is exit code 3. */
  protected reportProposal(proposal: ProposalView): void {
    this.print(renderProposal(proposal, this.palette(), terminalWidth()))
    if (!proposal.inForce) this.leaveWith(EXIT.gateRefused)
  }
}

interface SigningFlags {
  readonly key?: string[] | undefined
  readonly signature?: string[] | undefined
}

interface NewKeyFlags {
  /** oclif leaves out what was not said, whatever its types promise. */
  readonly 'require-pin'?: boolean
  readonly 'not-before'?: number | undefined
  readonly 'not-after'?: number | undefined
  readonly offline: boolean
}

export const readSigning = ({key = [], signature = []}: SigningFlags) => ({
  cwd: process.cwd(),
  nowMs: Date.now(),
  env: process.env,
  keys: key,
  signatureFiles: signature,
})

export const readNewKeys = (flags: NewKeyFlags) => ({
  requireUv: flags['require-pin'] ?? false,
  signAtHand: !flags.offline,
  ...(flags['not-before'] !== undefined && {notBeforeMs: flags['not-before']}),
  ...(flags['not-after'] !== undefined && {notAfterMs: flags['not-after']}),
})
