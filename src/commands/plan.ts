import {Flags} from '@oclif/core'
import {startLiveRead} from '../lib/app/plan/choose-live-state.ts'
import {useSettings} from '../lib/app/use-settings.ts'
import {BaseCommand} from '../lib/cli/base-command.ts'
import {EXIT} from '../lib/cli/exit-codes.ts'
import {terminalWidth} from '../lib/cli/terminal-width.ts'
import type {PlanJson} from '../lib/report/plan-json.ts'

export default class Plan extends BaseCommand {
  static override summary = 'Show what would have to change for the guests to match the desired state.'
  static override description =
    'Reads only. Each change says whether it is live, needs a restart or cannot be undone, and what stands in its way. With --detailed-exitcode the exit code is 2 when there are changes.'
  static override examples = [
    '<%= config.bin %> plan',
    '<%= config.bin %> plan --desired guests/ --target lxc/101 --out plan.json',
    '<%= config.bin %> plan --desired guests.yaml --against cluster.json --output markdown',
  ]
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
    out: Flags.string({char: 'o', helpValue: 'FILE', summary: 'Save the plan, mode 0600.'}),
    against: Flags.string({
      helpValue: 'CAPTURE',
      summary: "Plan against a file of 'felhom capture', without a connection.",
      exclusive: ['sandbox'],
    }),
    sandbox: Flags.boolean({
      summary: 'Plan against an embedded Proxmox with the example homelab, for this run alone.',
    }),
    output: Flags.string({
      default: 'text',
      helpValue: 'FORM',
      summary: 'Form of the plan on stdout: text, markdown, or one of a plugin.',
    }),
    'detailed-exitcode': Flags.boolean({summary: 'Exit with 2 when there are changes.'}),
  }

  override async run(): Promise<PlanJson> {
    const {flags} = await this.parse(Plan)
    const [cwd, env] = [process.cwd(), process.env]
    if (flags.output !== 'text') await this.#checkForm(flags.output)
    const {settings} = await useSettings({cwd, env, ...(flags.config && {configFile: flags.config})})
    const live = startLiveRead({
      cwd,
      env,
      settings,
      packageRoot: this.config.root,
      sandbox: flags.sandbox,
      ...(flags.against !== undefined && {capture: flags.against}),
    })
    // Everything else is loaded while the first answer is on its way, and not before it can be.
    await live.underWay
    const {
      planDesired,
      exampleDesired,
      hasChanges,
      hasErrors,
      renderPlanAs,
      reviewSignatures,
      rulesOf,
      warnOfFrozen,
      warnOfSuspended,
      writeOutput,
    } = await import('../lib/app/plan/plan-desired.ts')
    const paths = flags.desired ?? []
    const setting = settings.desired ?? (flags.sandbox ? exampleDesired(this.config.root) : undefined)
    const isLive = !flags.sandbox && flags.against === undefined
    const frozen = isLive ? warnOfFrozen(settings) : undefined
    const warn = (text: string): void => {
      this.addWarning(text)
    }
    const review = isLive
      ? reviewSignatures({settings, env, warn, rules: rulesOf(this.extensions, cwd)})
      : undefined
    const {plan, json} = await planDesired(
      {
        ...{cwd, paths, setting, secrets: settings.secrets, targets: flags.target ?? []},
        extensions: this.extensions,
      },
      live,
      review,
    )
    if (flags.target !== undefined)
      this.addWarning(
        'This plan is for the targets alone: the other guests of the desired state were not compared.',
      )
    const warning = await frozen
    if (warning !== undefined) this.addWarning(warning)
    if (isLive) warnOfSuspended(settings, plan, Date.now()).forEach(warn)
    if (flags.out !== undefined) writeOutput(cwd, flags.out, `${JSON.stringify(json, null, 1)}\n`)
    const options = {palette: this.palette(), width: terminalWidth(), toTerminal: process.stdout.isTTY}
    this.print(await renderPlanAs(flags.output, {plan, json}, options, this.extensions))
    if (hasErrors(plan)) process.exitCode = EXIT.invalid
    else if (flags['detailed-exitcode'] && hasChanges(plan)) process.exitCode = EXIT.changesPresent
    return json
  }

  /** Before anything is asked of Proxmox. */
  async #checkForm(form: string): Promise<void> {
    const {chooseForm} = await import('../lib/app/plugins/plugin-formats.ts')
    chooseForm(form, this.extensions)
  }
}
