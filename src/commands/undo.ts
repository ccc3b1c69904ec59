import {resolve} from 'node:path'
import {Args, Flags} from '@oclif/core'
import {previewUndo, undoChanges} from '../lib/app/undo/undo-changes.ts'
import {useSettings} from '../lib/app/use-settings.ts'
import {ApplyCommand} from '../lib/cli/apply-command.ts'
import {approvalFlag} from '../lib/cli/approval-flag.ts'
import {lockTimeoutFlag} from '../lib/cli/duration-flag.ts'
import {UndoDialogue} from '../lib/cli/undo-dialogue.ts'
import type {ApplyResultJson} from '../lib/report/apply-json.ts'
import {encodeUndo, type UndoJson} from '../lib/report/undo-json.ts'

export default class Undo extends ApplyCommand {
  static override summary = 'Bring back what an apply replaced.'
  static override description = `Each change is in the journal with what it replaced. Undo plans the way back of one run against the guests as they are now, shows it, asks, and carries it out as an apply does: through the same gate, with a run of its own in the journal.

What somebody has changed since is left alone. What cannot be brought back is named with its reason: a disk that grew, a guest that was created or destroyed, a new volume, a secret, a restart. Undo never restarts a guest by itself.`
  static override examples = [
    {
      command: '<%= config.bin %> undo --dry-run',
      description: 'What would be brought back of the latest run',
    },
    '<%= config.bin %> undo 20261118T060311-ab12',
    '<%= config.bin %> undo ab12 --target lxc/101 --auto-approve',
  ]
  static override args = {
    apply: Args.string({
      description:
        'The run to undo, or the beginning or the end of its name; without it the latest that has something to undo.',
    }),
  }
  static override flags = {
    target: Flags.string({
      char: 't',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'GUEST',
      summary: 'Only this guest, as lxc/101 or 101. May be repeated.',
    }),
    'auto-approve': Flags.boolean({summary: 'Do not ask; carry out what is possible.'}),
    'dry-run': Flags.boolean({
      summary: 'Show what would be done, take no lock and change nothing.',
      exclusive: ['auto-approve'],
    }),
    parallelism: Flags.integer({
      min: 1,
      max: 16,
      helpValue: 'N',
      summary: 'Changes at once on one node, in place of limits.writes_per_node.',
    }),
    approval: approvalFlag,
    'lock-timeout': lockTimeoutFlag,
  }

  override async run(): Promise<ApplyResultJson & UndoJson> {
    const {args, flags} = await this.parse(Undo)
    const [cwd, env] = [process.cwd(), process.env]
    const {settings} = await useSettings({
      cwd,
      env,
      ...(flags.config && {configFile: flags.config}),
      ...(flags.parallelism !== undefined && {
        flags: {'limits.writes_per_node': {flag: '--parallelism', raw: flags.parallelism}},
      }),
    })
    const request = {
      ...{name: args.apply, targets: flags.target ?? [], cwd, settings, env},
      extensions: this.extensions,
      approvalFiles: (flags.approval ?? []).map((file) => resolve(file)),
    }
    const rest = {lockTimeoutMs: flags['lock-timeout'], autoApprove: flags['auto-approve']}
    const {outcome, account} = await this.converseIn(
      (options) => new UndoDialogue(options),
      async (dialogue) => {
        const outcome = await (flags['dry-run']
          ? previewUndo(request, dialogue)
          : undoChanges({...request, ...rest}, dialogue))
        return {outcome, account: dialogue.account}
      },
    )
    const words = {deed: 'Undo', again: `felhom undo ${account.run ?? ''}`.trimEnd()}
    return {...this.report(outcome, words), ...encodeUndo(account)}
  }
}
