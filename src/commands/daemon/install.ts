import {Flags} from '@oclif/core'
import {DEFAULT_CONFIG} from '../../lib/app/systemd/gather-facts.ts'
import {planUnits, writeUnits} from '../../lib/app/systemd/install-units.ts'
import {BaseCommand} from '../../lib/cli/base-command.ts'
import {confirm} from '../../lib/cli/confirm.ts'
import {Interruption} from '../../lib/cli/interruption.ts'
import {encodeUnits, renderNextSteps, renderUnitChanges, type UnitsJson} from '../../lib/report/units-text.ts'

export default class DaemonInstall extends BaseCommand {
  /** It writes units and asks nothing of a plugin, whether the daemon may load it or not. */
  static override usesPlugins = false
  static override summary = 'Write the systemd units that run felhom, after showing what changes.'
  static override description = `Shows a diff of each file against what is there, asks, and writes. Nothing is started, and no user is made: it says what to do next. Settings of /etc/felhom/felhom.yaml (or --config) that a unit depends on are taken from there; run it again when they change.

The unit is hardened: it sees neither /home nor /root, and writes to its state directory alone. Lines of your own belong in a drop-in, as systemctl edit makes it.`
  static override examples = [
    '<%= config.bin %> daemon install --dry-run',
    '<%= config.bin %> daemon install',
    {
      command: '<%= config.bin %> daemon install --timer',
      description: 'A pass now and then, in place of a daemon',
    },
  ]
  static override flags = {
    timer: Flags.boolean({summary: 'A timer and a unit for one pass, in place of the daemon.'}),
    program: Flags.string({
      helpValue: 'PATH',
      summary: 'The felhom that the unit starts, in place of this one.',
    }),
    prefix: Flags.string({
      default: '/',
      helpValue: 'DIR',
      summary: 'Write below this directory, for a package.',
    }),
    'dry-run': Flags.boolean({summary: 'Show the diff only.'}),
    'auto-approve': Flags.boolean({summary: 'Do not ask.'}),
  }

  override async run(): Promise<UnitsJson> {
    const {flags} = await this.parse(DaemonInstall)
    const kind = flags.timer ? ('timer' as const) : ('daemon' as const)
    const {units, facts, hasChanges, missingCredential, warnings} = await planUnits(
      {
        packageRoot: this.config.root,
        config: flags.config ?? DEFAULT_CONFIG,
        prefix: flags.prefix,
        ...(flags.program !== undefined && {program: flags.program}),
      },
      kind,
    )
    for (const text of warnings) this.addWarning(text)
    this.print(renderUnitChanges(units, this.palette()))
    if (flags['dry-run'] || !hasChanges) return encodeUnits(units, [])
    await this.#confirm(flags['auto-approve'])
    const written = writeUnits(units)
    this.print(`\n${renderNextSteps({kind, config: facts.config, missingCredential}, this.palette())}`)
    return encodeUnits(units, written)
  }

  async #confirm(autoApprove: boolean): Promise<void> {
    const interruption = new Interruption()
    try {
      await confirm({question: 'Write these files?', autoApprove, signal: interruption.giveUp})
    } finally {
      interruption.dispose()
    }
  }
}
