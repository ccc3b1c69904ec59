import {Args, Flags} from '@oclif/core'
import {showOptionValue} from '../lib/app/plan-cluster.ts'
import {readPlan} from '../lib/app/read-plan.ts'
import {BaseCommand} from '../lib/cli/base-command.ts'
import {terminalWidth} from '../lib/cli/terminal-width.ts'
import {encodePlan, type PlanJson} from '../lib/report/plan-json.ts'
import {renderPlanMarkdown} from '../lib/report/plan-markdown.ts'
import {renderPlan} from '../lib/report/plan-text.ts'

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
    output: Flags.option({
      options: ['text', 'markdown'] as const,
      default: 'text' as const,
      summary: 'Form of the plan on stdout.',
    })(),
  }

  override async run(): Promise<PlanJson> {
    const {args, flags} = await this.parse(Show)
    const plan = readPlan(process.cwd(), args.plan)
    this.print(
      flags.output === 'markdown'
        ? renderPlanMarkdown(plan, showOptionValue)
        : renderPlan(plan, {palette: this.palette(), width: terminalWidth(), showValue: showOptionValue}),
    )
    return encodePlan(plan)
  }
}
