// What the commands around the journal share: settings, an end at the first Ctrl-C, and the telling of waits.
import type {UpkeepRequest} from '../app/journal/journal-upkeep.ts'
import {useSettings, type LoadedSettings} from '../app/use-settings.ts'
import {escapeText} from '../report/escape-text.ts'
import {BaseCommand} from './base-command.ts'
import {Interruption} from './interruption.ts'

export abstract class JournalCommand extends BaseCommand {
  #interruptedCode: number | undefined

  protected async useSettings(configFile: string | undefined): Promise<LoadedSettings['settings']> {
    const request = {cwd: process.cwd(), env: process.env, ...(configFile && {configFile})}
    return (await useSettings(request)).settings
  }

  /** None of these commands sends anything: whenever Ctrl-C comes, it may end at once. */
  protected async untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const interruption = new Interruption()
    try {
      return await work(interruption.giveUp)
    } finally {
      this.#interruptedCode = interruption.exitCode
      interruption.dispose()
    }
  }

  protected upkeep(
    settings: LoadedSettings['settings'],
    lockTimeoutMs: number,
    signal: AbortSignal,
  ): UpkeepRequest {
    return {
      settings,
      holder: `felhom ${(this.id ?? '').replaceAll(':', ' ')}`,
      lockTimeoutMs,
      signal,
      warn: (text) => {
        this.addWarning(text)
      },
      onLocked: (holder) => {
        this.tell(`Waiting for the state directory: ${holder}`)
      },
    }
  }

  /** For what is left undone: that somebody wanted it so says more than that it is so. */
  protected leaveWith(code: number): void {
    process.exitCode = this.#interruptedCode ?? code
  }

  /** Said while it works, on stderr, whatever the result looks like. */
  protected tell(text: string): void {
    process.stderr.write(`${escapeText(text)}\n`)
  }
}
