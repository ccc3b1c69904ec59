import {Flags} from '@oclif/core'
import {runDoctor, type Purpose} from '../lib/app/doctor/run-doctor.ts'
import {loadSettings} from '../lib/app/use-settings.ts'
import {BaseCommand} from '../lib/cli/base-command.ts'
import {EXIT} from '../lib/cli/exit-codes.ts'
import {terminalWidth} from '../lib/cli/terminal-width.ts'
import {renderFindings} from '../lib/report/doctor-text.ts'

export default class Doctor extends BaseCommand {
  static override summary = 'Check everything felhom depends on, and say what to mend.'
  static override description =
    'Looks at settings, token, state directory, journal, daemon and its units, endpoint, TLS, privileges, quorum, nodes, guests and clock. Reads only. Exit code 9 if there is anything to mend.'
  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --for apply']
  static override flags = {
    for: Flags.option({
      options: ['read', 'apply'] as const,
      default: 'read' as Purpose,
      summary: 'What the token shall be able to do.',
    })(),
  }

  override async run(): Promise<unknown> {
    const {flags} = await this.parse(Doctor)
    const loaded = await loadSettings({
      cwd: process.cwd(),
      env: process.env,
      ...(flags.config && {configFile: flags.config}),
    })
    const findings = await runDoctor(loaded, process.env, flags.for, Date.now)
    const healthy = findings.every((f) => f.verdict !== 'mend')
    if (!healthy) process.exitCode = EXIT.doctor
    this.print(renderFindings(findings, this.palette(), terminalWidth()))
    return {healthy, findings}
  }
}
