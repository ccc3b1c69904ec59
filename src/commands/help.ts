import {Args, Flags, loadHelpClass} from '@oclif/core'
import {BaseCommand} from '../lib/cli/base-command.ts'

export default class HelpCommand extends BaseCommand {
  static override enableJsonFlag = false
  static override strict = false
  static override usesPlugins = false
  static override summary = 'Show help for felhom or one of its commands.'
  static override examples = ['<%= config.bin %> help plan']
  static override args = {
    command: Args.string({required: false, description: 'Command to show help for.'}),
  }
  static override flags = {
    'nested-commands': Flags.boolean({char: 'n', summary: 'Include all commands below it.'}),
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(HelpCommand)
    const Help = await loadHelpClass(this.config)
    await new Help(this.config, {
      ...this.config.pjson.oclif.helpOptions,
      all: flags['nested-commands'],
    }).showHelp(argv as string[])
  }
}
