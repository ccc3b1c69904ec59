import {listPlugins, type InstalledPlugin} from '../../lib/app/plugins/manage-plugins.ts'
import {BaseCommand} from '../../lib/cli/base-command.ts'
import {renderColumns} from '../../lib/report/text-table.ts'

export default class PluginsList extends BaseCommand {
  static override usesPlugins = false
  static override summary = 'List the installed plugins.'
  static override examples = ['<%= config.bin %> plugins list']

  override async run(): Promise<readonly InstalledPlugin[]> {
    await this.parse(PluginsList)
    const plugins = listPlugins(this.config.dataDir)
    const rows = plugins.map(({name, version, brings}) => [
      {text: name},
      {text: version},
      {text: brings.join(', ')},
    ])
    this.print(plugins.length === 0 ? 'No plugin is installed.' : renderColumns(rows).join('\n'))
    return plugins
  }
}
