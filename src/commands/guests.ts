import {withProxmox} from '../lib/app/compose.ts'
import {describeGaps} from '../lib/app/describe-completeness.ts'
import {redactCluster} from '../lib/app/redact-cluster.ts'
import {useSettings} from '../lib/app/use-settings.ts'
import {BaseCommand} from '../lib/cli/base-command.ts'
import {renderGuests} from '../lib/report/guests-text.ts'

export default class Guests extends BaseCommand {
  static override summary = 'List the guests that are there, with state, lock and pending changes.'
  static override description =
    'Reads only. PENDING names the options that were changed and wait for a restart; a leading minus means that the option will be removed.'
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
    this.print(renderGuests(cluster, this.palette(), process.stdout.columns || Infinity))
    return redactCluster(cluster).cluster
  }
}
