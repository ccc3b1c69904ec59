import {Args, Flags} from '@oclif/core'
import {readLiveState} from '../lib/app/plan/choose-live-state.ts'
import {describeGaps} from '../lib/app/plan/describe-completeness.ts'
import {importGuests, type ImportedGuests} from '../lib/app/import/import-guests.ts'
import {refuseExisting} from '../lib/app/gate/refuse-existing.ts'
import {useSettings} from '../lib/app/use-settings.ts'
import {writeOutput} from '../lib/app/write-output.ts'
import {BaseCommand} from '../lib/cli/base-command.ts'
import {escapeText} from '../lib/report/escape-text.ts'
import {plural} from '../lib/report/plural.ts'

export default class Import extends BaseCommand {
  static override summary = 'Write desired state for guests that already exist.'
  static override description =
    'The next plan with what is written is empty. What felhom does not manage is named in comments; passwords, environment variables and extra arguments of guests are never written. Reads only.'
  static override examples = [
    '<%= config.bin %> import --out guests.yaml',
    '<%= config.bin %> import lxc/101 102',
    '<%= config.bin %> import --sandbox',
  ]
  static override args = {
    guest: Args.string({multiple: true, description: 'Guests as lxc/101 or 101; without any, all of them.'}),
  }
  static override flags = {
    out: Flags.string({
      char: 'o',
      helpValue: 'FILE',
      summary: 'File to write, mode 0600; without it the YAML goes to stdout.',
    }),
    force: Flags.boolean({summary: 'Write over a file that exists.', dependsOn: ['out']}),
    against: Flags.string({
      helpValue: 'CAPTURE',
      summary: "Import from a file of 'felhom capture', without a connection.",
      exclusive: ['sandbox'],
    }),
    sandbox: Flags.boolean({
      summary: 'Import from an embedded Proxmox with the example homelab, for this run alone.',
    }),
  }

  override async run(): Promise<ImportedGuests> {
    const {flags, args} = await this.parse(Import)
    const [cwd, env] = [process.cwd(), process.env]
    const {settings} = await useSettings({cwd, env, ...(flags.config && {configFile: flags.config})})
    if (flags.out !== undefined && !flags.force) refuseExisting(cwd, flags.out)
    const cluster = await readLiveState({
      cwd,
      env,
      settings,
      packageRoot: this.config.root,
      sandbox: flags.sandbox,
      ...(flags.against !== undefined && {capture: flags.against}),
    })
    for (const gap of describeGaps(cluster)) this.addWarning(gap)
    const imported = importGuests(cluster, args.guest ?? [])
    if (flags.out !== undefined) {
      writeOutput(cwd, flags.out, imported.yaml)
      this.print(escapeText(`${plural(imported.guests.length, 'guest')} written to ${flags.out}`))
    } else this.print(imported.yaml.trimEnd())
    return imported
  }
}
