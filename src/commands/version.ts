import {BaseCommand} from '../lib/cli/base-command.ts'

export default class Version extends BaseCommand {
  static override usesPlugins = false
  static override summary = 'Show the version of felhom, of Node and of the platform.'
  static override examples = ['<%= config.bin %> version', '<%= config.bin %> version --json']

  override async run(): Promise<{version: string; platform: string; arch: string; node: string}> {
    await this.parse(Version)
    const {version, platform, arch} = this.config
    this.print(this.config.userAgent)
    return {version, platform, arch, node: process.version}
  }
}
