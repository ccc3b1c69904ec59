import {Flags} from '@oclif/core'
import {describeSettings, type SettingRow} from '../../lib/app/describe-settings.ts'
import {useSettings} from '../../lib/app/use-settings.ts'
import {BaseCommand} from '../../lib/cli/base-command.ts'
import {renderSettings} from '../../lib/report/settings-text.ts'

export default class ConfigShow extends BaseCommand {
  static override summary = 'Show the effective settings, and where each came from.'
  static override description =
    'Flags win over FELHOM_… variables, those over felhom.yaml of this directory, then of the XDG config directory, then of /etc/felhom. The token itself is never shown, only where it is kept.'
  static override examples = [
    '<%= config.bin %> config show --origin',
    '<%= config.bin %> config show --json',
  ]
  static override flags = {
    origin: Flags.boolean({summary: 'Add where each value came from.'}),
  }

  override async run(): Promise<{settings: SettingRow[]; files: string[]}> {
    const {flags} = await this.parse(ConfigShow)
    const loaded = await useSettings({
      cwd: process.cwd(),
      env: process.env,
      ...(flags.config && {configFile: flags.config}),
    })
    const rows = describeSettings(loaded.entries)
    this.print(renderSettings(rows, flags.origin, this.palette()))
    return {settings: rows, files: loaded.files}
  }
}
