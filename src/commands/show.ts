import {Args, Flags} from '@oclif/core'
import {renderPlanAs} from '../lib/app/plan/plan-desired.ts'
import {chooseForm} from '../lib/app/plugins/plugin-formats.ts'
import {readPlan} from '../lib/app/plan/read-plan.ts'
import {BaseCommand} from '../lib/cli/base-command.ts'
import {terminalWidth} from '../lib/cli/terminal-width.ts'
import {encodePlan, type PlanJson} from '../lib/report/plan-json.ts'

export default class Show extends BaseCommand {
  static override summary = 'Show a saved plan.'
  static override description =
    'Reads the file and nothing else: what it shows was true when the plan was made.'
  static override examples = [
    '<%= config.bin %> show plan.json',
    '<%= config.bin %> show plan.json --output markdown',
  ]
  static override args = {
    plan: Args.string({required: true, description: "A file that 'felhom plan --out' wrote."}),
  }
  static override flags = {
    output: Flags.string({
      default: 'text',
      helpValue: 'FORM',
      summary: 'Form of the plan on stdout: text, markdown, or one of a plugin.',
    }),
  }

  override async run(): Promise<PlanJson> {
    const {args, flags} = await this.parse(Show)
    chooseForm(flags.output, this.extensions)
    const plan = readPlan(process.cwd(), args.plan)
    const json = encodePlan(plan)
    const options = {palette: this.palette(), width: terminalWidth(), toTerminal: process.stdout.isTTY}
    this.print(await renderPlanAs(flags.output, {plan, json}, options, this.extensions))
    return json
  }
}
