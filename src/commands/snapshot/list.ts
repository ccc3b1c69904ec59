import {Args} from '@oclif/core'
import {listSnapshots, type GuestSnapshots} from '../../lib/app/list-snapshots.ts'
import {useSettings} from '../../lib/app/use-settings.ts'
import {BaseCommand} from '../../lib/cli/base-command.ts'
import {renderSnapshots} from '../../lib/report/snapshots-text.ts'

export default class SnapshotList extends BaseCommand {
  static override summary = 'List the snapshots of a guest.'
  static override description = 'Reads only. MEMORY says that the memory of a running machine is part of it.'
  static override examples = ['<%= config.bin %> snapshot list lxc/101']
  static override args = {
    guest: Args.string({required: true, description: 'The guest, as lxc/101 or 101.'}),
  }

  override async run(): Promise<GuestSnapshots> {
    const {args, flags} = await this.parse(SnapshotList)
    const [cwd, env] = [process.cwd(), process.env]
    const {settings} = await useSettings({cwd, env, ...(flags.config && {configFile: flags.config})})
    const found = await listSnapshots(args.guest, settings, env)
    this.print(renderSnapshots(found.snapshots, this.palette()))
    return found
  }
}
