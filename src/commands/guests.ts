import {withProxmox} from '../lib/app/compose.ts'
import {describeGaps} from '../lib/app/plan/describe-completeness.ts'
import {lookAtSuspensions} from '../lib/app/plan/plan-suspended.ts'
import {redactCluster} from '../lib/app/capture/redact-cluster.ts'
import {useSettings} from '../lib/app/use-settings.ts'
import {BaseCommand} from '../lib/cli/base-command.ts'
import {renderGuests} from '../lib/report/guests-text.ts'
import {describeSuspensions, encodeSuspension} from '../lib/report/suspension-text.ts'

export default class Guests extends BaseCommand {
  static override summary = 'List the guests that are there, with state, lock and pending changes.'
  static override description =
    'Reads only. A guest that the daemon leaves alone is marked as suspended. PENDING names the options that were changed and wait for a restart; a leading minus means that the option will be removed.'
  static override examples = ['<%= config.bin %> guests', '<%= config.bin %> guests --json']

  override async run(): Promise<unknown> {
    const {flags} = await this.parse(Guests)
    const {settings} = await useSettings({
      cwd: process.cwd(),
      env: process.env,
      ...(flags.config && {configFile: flags.config}),
    })
    const cluster = await withProxmox(settings, process.env, ({reader}) => reader.readCluster())
    for (const gap of describeGaps(cluster)) this.addWarning(gap)
    const {suspensions, problem} = lookAtSuspensions(settings, Date.now())
    if (problem !== undefined) this.addWarning(problem)
    for (const text of describeSuspensions(suspensions)) this.addWarning(text)
    const width = process.stdout.columns || Infinity
    this.print(renderGuests(cluster, this.palette(), width, suspensions))
    return {...redactCluster(cluster).cluster, suspensions: suspensions.map(encodeSuspension)}
  }
}
