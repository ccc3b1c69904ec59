// What the commands around the gate share: the flags that say which plan it is about, and how its parts are opened.
import {Flags} from '@oclif/core'
import {prepareWork} from '../app/apply-prepare.ts'
import type {LookRequest} from '../app/gate-look.ts'
import type {LoadedSettings} from '../app/use-settings.ts'
import type {GateTextOptions} from '../report/gate-check-text.ts'
import {durationFlag} from './duration-flag.ts'
import {JournalCommand} from './journal-command.ts'
import {terminalWidth} from './terminal-width.ts'

export const planFlags = {
  desired: Flags.string({
    char: 'd',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'PATH',
    summary: 'Desired state: a file or a directory, in place of the setting. May be repeated.',
  }),
}

const DEFAULT_HOURS = 8

/** At most a day: what is to be lost later is looked at again. */
export const lifetimeFlag = durationFlag({
  default: DEFAULT_HOURS * 3_600_000,
  defaultHelp: () => Promise.resolve(`${DEFAULT_HOURS}h`),
  summary: 'How long the approval may be used; at most 24h.',
})

interface PlanChoice {
  readonly desired?: string[] | undefined
  readonly planFile?: string | undefined
  readonly approvalFiles?: readonly string[]
}

export abstract class GateCommand extends JournalCommand {
  protected async lookRequest(
    settings: LoadedSettings['settings'],
    signal: AbortSignal,
    {desired = [], planFile, approvalFiles = []}: PlanChoice,
  ): Promise<LookRequest> {
    const [cwd, env] = [process.cwd(), process.env]
    const work = await prepareWork({
      ...{cwd, env, planFile},
      paths: desired,
      setting: settings.desired,
      targets: [],
    })
    return {
      ...{work, settings, env, signal, approvalFiles},
      nowMs: Date.now(),
      warn: (text) => {
        this.addWarning(text)
      },
    }
  }

  protected textOptions(): GateTextOptions {
    return {palette: this.palette(), width: terminalWidth()}
  }
}
