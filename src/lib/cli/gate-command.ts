// What the commands around the gate share: the flags that say which plan it is about, and how its parts are opened.
import {Flags} from '@oclif/core'
import {prepareWork} from '../app/apply/apply-prepare.ts'
import {isId} from '../app/gate/gate-documents.ts'
import type {LookRequest} from '../app/gate/gate-look.ts'
import {rulesOf} from '../app/plugins/plugin-rules.ts'
import {parseJob, workFromJob} from '../app/gate/run-signed-job.ts'
import type {LoadedSettings} from '../app/use-settings.ts'
import {FelhomError} from '../model/felhom-error.ts'
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

/** What no file asks for, and a command of its own carries out. */
export const jobFlag = Flags.string({
  helpValue: 'JOB',
  summary: "In place of an ID: what no plan holds, such as 'snapshot.delete lxc/101 before-upgrade'.",
})

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
  readonly job?: string | undefined
  readonly approvalFiles?: readonly string[]
}

export abstract class GateCommand extends JournalCommand {
  protected async lookRequest(
    settings: LoadedSettings['settings'],
    signal: AbortSignal,
    {desired = [], planFile, job, approvalFiles = []}: PlanChoice,
  ): Promise<LookRequest> {
    const [cwd, env] = [process.cwd(), process.env]
    const {desired: setting, secrets} = settings
    const work =
      job === undefined
        ? await prepareWork({
            ...{cwd, env, planFile, paths: desired, setting, secrets, targets: []},
            ...{extensions: this.extensions, signal},
          })
        : workFromJob(parseJob(job))
    return {
      ...{work, settings, env, signal, approvalFiles},
      nowMs: Date.now(),
      rules: rulesOf({...this.extensions, giveUp: signal}, cwd),
      warn: (text) => {
        this.addWarning(text)
      },
    }
  }

  /** What is to be signed: as a file holds it, or as the live plan or a job asks for it. */
  protected choose<T>(
    {approval, job}: {readonly approval: string | undefined; readonly job: string | undefined},
    ways: {readonly fromFile: (file: string) => T; readonly fromLive: (id: string | undefined) => Promise<T>},
  ): Promise<T> {
    if (approval === undefined && job === undefined)
      throw new FelhomError('usage', 'nothing is named', {
        hint: 'Name an ID of felhom gate pending, a file, or a --job.',
        doubt: 'Nothing was read and nothing was signed.',
      })
    if (approval !== undefined && job !== undefined)
      throw new FelhomError('usage', 'an ID or a file cannot be joined with --job', {
        doubt: 'Nothing was read and nothing was signed.',
      })
    return approval === undefined || isId(approval)
      ? ways.fromLive(approval)
      : Promise.resolve(ways.fromFile(approval))
  }

  protected textOptions(): GateTextOptions {
    return {palette: this.palette(), width: terminalWidth()}
  }
}
