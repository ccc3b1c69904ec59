import {Flags} from '@oclif/core'
import {openJournalView} from '../lib/app/journal/journal-view.ts'
import {previewRecovery} from '../lib/app/journal/recover-preview.ts'
import {recoverState, type RecoverResult} from '../lib/app/journal/recover-state.ts'
import type {LoadedSettings} from '../lib/app/use-settings.ts'
import {durationFlag, lockTimeoutFlag} from '../lib/cli/duration-flag.ts'
import {EXIT} from '../lib/cli/exit-codes.ts'
import {JournalCommand} from '../lib/cli/journal-command.ts'
import {terminalWidth} from '../lib/cli/terminal-width.ts'
import {describeAlarms} from '../lib/report/journal-rearm-text.ts'
import {encodeRecovery, renderRecovery, type RecoveryJson} from '../lib/report/recover-text.ts'

type Settings = LoadedSettings['settings']

export default class Recover extends JournalCommand {
  static override summary = 'Settle what an interrupted run left open.'
  static override description =
    'Looks in Proxmox for what has become of each open operation and writes it down. It only reads Proxmox and sends nothing. Exit code 0 when nothing is open any more, 5 when something stays open: then it says when to look again, or what you have to decide.'
  static override examples = ['<%= config.bin %> recover', '<%= config.bin %> recover --dry-run']
  static override flags = {
    'dry-run': Flags.boolean({summary: 'Say what would be decided, take no lock and write nothing.'}),
    wait: durationFlag({
      default: 60_000,
      defaultHelp: () => Promise.resolve('60s'),
      summary: 'How long to wait for what is not yet decided, up to a minute; 0s looks once.',
    }),
    'lock-timeout': lockTimeoutFlag,
  }

  override async run(): Promise<RecoveryJson> {
    const {flags} = await this.parse(Recover)
    const settings = await this.useSettings(flags.config)
    const dryRun = flags['dry-run']
    const result = await this.untilInterrupted((signal) =>
      dryRun
        ? this.#preview(settings, signal)
        : this.#recover(settings, signal, flags.wait, flags['lock-timeout']),
    )
    const alarm = describeAlarms(result.disarmed)
    if (alarm !== undefined) this.addWarning(alarm)
    const options = {palette: this.palette(), width: terminalWidth(), nowMs: Date.now(), dryRun}
    this.print(renderRecovery(result, options))
    if (result.open.length > 0) this.leaveWith(EXIT.needsRecover)
    return encodeRecovery(result, dryRun)
  }

  async #preview(settings: Settings, signal: AbortSignal): Promise<RecoverResult> {
    return previewRecovery(await openJournalView(settings), {settings, env: process.env, signal})
  }

  #recover(
    settings: Settings,
    signal: AbortSignal,
    waitMs: number,
    lockTimeoutMs: number,
  ): Promise<RecoverResult> {
    const {warn, onLocked} = this.upkeep(settings, lockTimeoutMs, signal)
    const onWait = (): void => {
      this.tell('Waiting for what cannot be told yet; Ctrl-C leaves it for later.')
    }
    return recoverState({settings, env: process.env, lockTimeoutMs, waitMs, signal, warn, onLocked, onWait})
  }
}
