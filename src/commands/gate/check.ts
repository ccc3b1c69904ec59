import {resolve} from 'node:path'
import {Args} from '@oclif/core'
import {describeEntries, isHeldBack} from '../../lib/app/gate/gate-check.ts'
import {lookAtGate} from '../../lib/app/gate/gate-look.ts'
import {approvalFlag} from '../../lib/cli/approval-flag.ts'
import {EXIT} from '../../lib/cli/exit-codes.ts'
import {GateCommand, planFlags} from '../../lib/cli/gate-command.ts'
import {renderCheckedPlan, type GateItem} from '../../lib/report/gate-check-text.ts'

export default class GateCheck extends GateCommand {
  static override summary = 'Show what the gate would say to each action of a plan.'
  static override description =
    'Of the live plan, or of a saved one: the class of each action, whose signatures it needs, and why it would be refused. Nothing is decided here: the gate decides when the action is carried out. Exit code 3 if anything would be held back.'
  static override examples = ['<%= config.bin %> gate check', '<%= config.bin %> gate check plan.json --json']
  static override args = {
    plan: Args.string({description: "A file that 'felhom plan --out' wrote."}),
  }
  static override flags = {...planFlags, approval: approvalFlag}

  override async run(): Promise<{actions: readonly GateItem[]; pending: number}> {
    const {args, flags} = await this.parse(GateCheck)
    const settings = await this.useSettings(flags.config)
    const approvalFiles = (flags.approval ?? []).map((file) => resolve(file))
    const actions = await this.untilInterrupted(async (signal) => {
      const choice = {desired: flags.desired, planFile: args.plan, approvalFiles}
      return describeEntries(await lookAtGate(await this.lookRequest(settings, signal, choice)))
    })
    this.print(renderCheckedPlan(actions, this.textOptions()))
    const pending = actions.filter(isHeldBack).length
    if (pending > 0) this.leaveWith(EXIT.gateRefused)
    return {actions, pending}
  }
}
