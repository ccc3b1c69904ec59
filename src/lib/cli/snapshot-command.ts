// What the two commands share that lose data: the job goes the way of an apply, and without an approval it says how
// to get one.
import {resolve} from 'node:path'
import {Args, Flags} from '@oclif/core'
import {applyChanges} from '../app/apply/apply-changes.ts'
import {formatJob, workFromJob, type GuestJob} from '../app/gate/run-signed-job.ts'
import {useSettings} from '../app/use-settings.ts'
import type {ApplyResultJson} from '../report/apply-json.ts'
import {ApplyCommand} from './apply-command.ts'
import {TerminalDialogue} from './apply-dialogue.ts'
import {lockTimeoutFlag} from './duration-flag.ts'

export const snapshotArgs = {
  guest: Args.string({required: true, description: 'The guest, as lxc/101 or 101.'}),
  name: Args.string({required: true, description: 'The name of the snapshot.'}),
}

export const snapshotFlags = {
  approval: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'FILE',
    summary: 'A signed approval, besides those in the approvals directory. May be repeated.',
  }),
  'lock-timeout': lockTimeoutFlag,
}

export interface SnapshotFlags {
  readonly approval: string[] | undefined
  readonly 'lock-timeout': number
  readonly config: string | undefined
}

export abstract class SnapshotCommand extends ApplyCommand {
  protected async carryOut(job: GuestJob, flags: SnapshotFlags): Promise<ApplyResultJson> {
    const [cwd, env] = [process.cwd(), process.env]
    const {settings} = await useSettings({cwd, env, ...(flags.config && {configFile: flags.config})})
    const again = `felhom ${(this.id ?? '').replaceAll(':', ' ')}`
    const request = {
      work: workFromJob(job),
      settings,
      env,
      lockTimeoutMs: flags['lock-timeout'],
      autoApprove: false,
      approvalFiles: (flags.approval ?? []).map((file) => resolve(cwd, file)),
      holder: again,
      extensions: this.extensions,
    }
    const outcome = await this.converseIn(
      (options) => new TerminalDialogue({...options, isPendingListed: false}),
      (dialogue) => applyChanges(request, dialogue),
    )
    const result = this.report(outcome, {deed: 'Job', again})
    if (outcome.verdict === 'signature_pending')
      this.print(`\nSign it, then run this again:\n  felhom gate sign --job '${formatJob(job)}' --key FILE`)
    return result
  }
}
