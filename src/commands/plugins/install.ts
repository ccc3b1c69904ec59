import {Args} from '@oclif/core'
import {installPlugin, type InstalledPlugin} from '../../lib/app/plugins/manage-plugins.ts'
import {BaseCommand} from '../../lib/cli/base-command.ts'
import {Interruption} from '../../lib/cli/interruption.ts'
import {escapeText} from '../../lib/report/escape-text.ts'

export default class PluginsInstall extends BaseCommand {
  static override usesPlugins = false
  static override summary = 'Install a plugin.'
  static override description =
    'Fetches the package with npm into the data directory of felhom and loads it from then on. None of its install scripts are run. A plugin runs with all the rights of felhom: install only what you trust. The daemon loads it only if plugins.allow names it.'
  static override examples = [
    '<%= config.bin %> plugins install felhom-plugin-csv',
    '<%= config.bin %> plugins install ./felhom-plugin-csv-1.0.0.tgz',
  ]
  static override args = {
    package: Args.string({required: true, description: 'Name, directory or .tgz file of the package.'}),
  }

  override async run(): Promise<InstalledPlugin> {
    const {args} = await this.parse(PluginsInstall)
    const plugin = await this.#install(args.package)
    this.print(
      `Installed ${escapeText(plugin.name)} ${escapeText(plugin.version)}: ${plugin.brings.join(', ')}.`,
    )
    return plugin
  }

  /** Ctrl-C puts back what was there: half a plugin would stop every other command. */
  async #install(spec: string): Promise<InstalledPlugin> {
    const interruption = new Interruption()
    try {
      const {giveUp: signal} = interruption
      return await installPlugin({dataDir: this.config.dataDir, spec, cwd: process.cwd(), signal})
    } finally {
      interruption.dispose()
    }
  }
}
