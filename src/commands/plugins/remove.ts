import {Args} from '@oclif/core'
import {removePlugin} from '../../lib/app/plugins/manage-plugins.ts'
import {BaseCommand} from '../../lib/cli/base-command.ts'
import {escapeText} from '../../lib/report/escape-text.ts'

export default class PluginsRemove extends BaseCommand {
  static override usesPlugins = false
  static override summary = 'Remove a plugin.'
  static override examples = ['<%= config.bin %> plugins remove felhom-plugin-csv']
  static override args = {
    name: Args.string({required: true, description: 'Name of the package.'}),
  }

  override async run(): Promise<{removed: string}> {
    const {args} = await this.parse(PluginsRemove)
    await removePlugin(this.config.dataDir, args.name)
    this.print(`Removed ${escapeText(args.name)}.`)
    return {removed: args.name}
  }
}
