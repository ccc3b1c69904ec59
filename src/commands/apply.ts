import {resolve} from 'node:path'
import {Args, Flags} from '@oclif/core'
import {applyChanges, type ApplyOutcome} from '../lib/app/apply/apply-changes.ts'
import {prepareWork} from '../lib/app/apply/apply-prepare.ts'
import {exampleDesired} from '../lib/app/source/open-desired.ts'
import {useSettings} from '../lib/app/use-settings.ts'
import {withSandbox} from '../lib/app/with-sandbox.ts'
import {ApplyCommand} from '../lib/cli/apply-command.ts'
import {approvalFlag} from '../lib/cli/approval-flag.ts'
import {lockTimeoutFlag} from '../lib/cli/duration-flag.ts'
import type {ApplyResultJson} from '../lib/report/apply-json.ts'

export default class Apply extends ApplyCommand {
  static override summary = 'Make the guests match the desired state.'
  static override description = `Settles interrupted work first, then plans, shows the plan, asks, and carries it out. What can lose data is not carried out without a signature. Each change is in the journal before it is sent; after a crash the next apply, or felhom recover, finds out what became of it.

A saved plan needs no question: it was looked at. It is refused, with exit code 8, if a guest that it changes is no longer as it was when the plan was made.

Ctrl-C starts nothing new and waits for what runs; a second Ctrl-C leaves it running. With --json each event is one line of JSON on stdout: first the plan, last the result.`
  static override examples = [
    '<%= config.bin %> apply',
    '<%= config.bin %> apply --desired guests/ --target lxc/101 --auto-approve',
    {command: '<%= config.bin %> apply plan.json', description: "A plan that 'felhom plan --out' saved"},
    {command: '<%= config.bin %> apply --sandbox', description: 'Try it on the example homelab'},
  ]
  static override args = {
    plan: Args.string({description: "A file that 'felhom plan --out' wrote; carried out as it is."}),
  }
  static override flags = {
    desired: Flags.string({
      char: 'd',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'PATH',
      summary: 'Desired state: a file or a directory, in place of the setting. May be repeated.',
    }),
    target: Flags.string({
      char: 't',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'GUEST',
      summary: 'Only this guest, as lxc/101 or 101. May be repeated.',
    }),
    approval: approvalFlag,
    'auto-approve': Flags.boolean({summary: 'Do not ask; carry out what is possible.'}),
    parallelism: Flags.integer({
      min: 1,
      max: 16,
      helpValue: 'N',
      summary: 'Changes at once on one node, in place of limits.writes_per_node.',
    }),
    'lock-timeout': lockTimeoutFlag,
    sandbox: Flags.boolean({
      summary: 'Apply to an embedded Proxmox with the example homelab, for this run alone.',
    }),
  }

  override async run(): Promise<ApplyResultJson> {
    const {args, flags} = await this.parse(Apply)
    const [cwd, packageRoot] = [process.cwd(), this.config.root]
    const {settings: given} = await useSettings({
      cwd,
      env: process.env,
      ...(flags.config && {configFile: flags.config}),
      ...(flags.parallelism !== undefined && {
        flags: {'limits.writes_per_node': {flag: '--parallelism', raw: flags.parallelism}},
      }),
    })
    const work = await prepareWork({
      cwd,
      env: process.env,
      paths: flags.desired ?? [],
      setting: given.desired ?? (flags.sandbox ? exampleDesired(packageRoot) : undefined),
      secrets: given.secrets,
      targets: flags.target ?? [],
      planFile: args.plan,
      ...{extensions: this.extensions, signal: this.giveUp},
    })
    const rest = {
      work,
      lockTimeoutMs: flags['lock-timeout'],
      autoApprove: flags['auto-approve'],
      extensions: this.extensions,
      approvalFiles: (flags.approval ?? []).map((file) => resolve(file)),
    }
    return this.report(
      await this.converse((dialogue): Promise<ApplyOutcome> =>
        flags.sandbox
          ? withSandbox({cwd, packageRoot, settings: given}, (settings, env) =>
              applyChanges({...rest, settings, env}, dialogue),
            )
          : applyChanges({...rest, settings: given, env: process.env}, dialogue),
      ),
    )
  }
}
