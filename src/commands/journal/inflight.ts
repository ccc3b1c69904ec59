import {Flags} from '@oclif/core'
import {listInflight} from '../../lib/app/journal/journal-inflight.ts'
import {openJournalView} from '../../lib/app/journal/journal-view.ts'
import {lookAtSuspensions} from '../../lib/app/plan/plan-suspended.ts'
import {EXIT} from '../../lib/cli/exit-codes.ts'
import {JournalCommand} from '../../lib/cli/journal-command.ts'
import {terminalWidth} from '../../lib/cli/terminal-width.ts'
import {encodeInflight, renderInflight, type InflightJson} from '../../lib/report/journal-inflight-text.ts'
import {describeAlarms} from '../../lib/report/journal-rearm-text.ts'
import {describeSuspensions, encodeSuspension, type SuspensionJson} from '../../lib/report/suspension-text.ts'

export default class JournalInflight extends JournalCommand {
  static override summary = 'List the operations that have no end yet, and what recover would do.'
  static override description =
    'Reads only and takes no lock. Asks Proxmox what has become of them; where it cannot be asked, the list comes from the journal alone. Exit code 5 if there is anything in it.'
  static override examples = [
    '<%= config.bin %> journal inflight',
    '<%= config.bin %> journal inflight --offline --json',
  ]
  static override flags = {
    offline: Flags.boolean({summary: 'Do not ask Proxmox.'}),
  }

  override async run(): Promise<InflightJson & {suspensions: SuspensionJson[]}> {
    const {flags} = await this.parse(JournalInflight)
    const settings = await this.useSettings(flags.config)
    const {operations, disarmed, unasked} = await this.untilInterrupted(async (signal) => {
      const ask = flags.offline ? undefined : {settings, env: process.env, signal}
      return listInflight(await openJournalView(settings), ask)
    })
    if (unasked !== undefined)
      this.addWarning(`Proxmox could not be asked what recover would do: ${unasked}.`)
    const alarm = describeAlarms(disarmed)
    if (alarm !== undefined) this.addWarning(alarm)
    const nowMs = Date.now()
    const {suspensions, problem} = lookAtSuspensions(settings, nowMs)
    if (problem !== undefined) this.addWarning(problem)
    for (const text of describeSuspensions(suspensions)) this.addWarning(text)
    this.print(renderInflight(operations, {palette: this.palette(), width: terminalWidth(), nowMs}))
    if (operations.length > 0) process.exitCode = EXIT.needsRecover
    return {...encodeInflight(operations, nowMs), suspensions: suspensions.map(encodeSuspension)}
  }
}
