import {Flags} from '@oclif/core'
import {hasDrift, judgePass} from '../../lib/app/daemon/judge-pass.ts'
import {makeNotifier} from '../../lib/app/daemon/notify-systemd.ts'
import type {DaemonOutcome} from '../../lib/app/daemon/run-daemon.ts'
import {WakeUp} from '../../lib/app/daemon/wake-up.ts'
import {useSettings} from '../../lib/app/use-settings.ts'
import {BaseCommand} from '../../lib/cli/base-command.ts'
import {colourOn} from '../../lib/cli/colour.ts'
import {DaemonSignals} from '../../lib/cli/daemon-signals.ts'
import {EXIT, exitCodeOf} from '../../lib/cli/exit-codes.ts'
import {readListed} from '../../lib/cli/listed-plugins.ts'
import {allowEnd} from '../../lib/cli/silent-end.ts'
import {terminalWidth} from '../../lib/cli/terminal-width.ts'
import {makePalette} from '../../lib/report/palette.ts'

export default class Daemon extends BaseCommand {
  static override enableJsonFlag = false
  /** Only what plugins.allow names, which is known once the settings are read. */
  static override usesPlugins = false
  static override summary = 'Keep the cluster as desired, with nobody watching.'
  static override description = `Settles what was interrupted, then looks again on every interval: it plans, does what daemon.mode and the maintenance windows allow, and tells what people must know. A new installation only observes.

It holds the state directory for each pass, so that you can work beside it. SIGHUP reads the settings again and makes a pass at once. SIGTERM waits for what runs, and leaves it to the journal after daemon.stop_timeout.

The log goes to stderr: a line of JSON for each event, or on a terminal a sentence.`
  static override examples = [
    '<%= config.bin %> daemon',
    '<%= config.bin %> daemon --once',
    '<%= config.bin %> daemon --mode benign --interval 5m',
  ]
  static override flags = {
    once: Flags.boolean({summary: 'Make one pass and end, for cron.'}),
    'detailed-exitcode': Flags.boolean({
      dependsOn: ['once'],
      summary: 'Exit 2 if something is left to do that nothing else is said about.',
    }),
    mode: Flags.string({
      options: ['observe', 'benign', 'full'],
      summary: 'What it may do, in place of daemon.mode.',
    }),
    interval: Flags.string({helpValue: 'DURATION', summary: 'Time between two passes (daemon.interval).'}),
    listen: Flags.string({
      helpValue: 'HOST:PORT',
      summary: 'Where metrics and status are served (daemon.listen).',
    }),
    'log-format': Flags.string({
      options: ['json', 'pretty'],
      summary: 'Form of the log, in place of what suits stderr.',
    }),
    'log-level': Flags.string({
      options: ['debug', 'info', 'warn', 'error'],
      default: 'info',
      summary: 'Least weight of what is logged.',
    }),
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(Daemon)
    const wakeUp = new WakeUp()
    const signals = new DaemonSignals(wakeUp)
    try {
      const {runDaemon} = await import('../../lib/app/daemon/run-daemon.ts')
      const outcome = await runDaemon({
        loadSettings: () => useSettings(settingsRequest(flags)),
        loadPlugins: (allow) => this.loadPlugins(allow),
        installedPlugins: () => readListed(this.config.dataDir),
        env: process.env,
        version: this.config.version,
        once: flags.once,
        log: {
          stream: process.stderr,
          format: formatOf(flags['log-format'], process.stderr.isTTY),
          level: flags['log-level'] as 'debug' | 'info' | 'warn' | 'error',
          palette: makePalette(colourOn(process.stderr)),
          width: terminalWidth(),
        },
        notifier: makeNotifier(process.env),
        stop: signals.stop,
        wakeUp,
      })
      this.#end(outcome, signals, flags)
    } finally {
      signals.dispose()
    }
  }

  #end({end}: DaemonOutcome, signals: DaemonSignals, {once, 'detailed-exitcode': detailed}: EndFlags): void {
    if (end.reason === 'stopped') {
      process.exitCode = once ? interruptedBy(signals) : signals.exitCode
      // What still runs is in the journal, and nobody waits for it any more.
      if (end.isDrained) return
      allowEnd()
      process.exit()
    }
    const verdict = judgePass(end.report)
    if (verdict === 'interrupted') process.exitCode = interruptedBy(signals)
    else if (verdict !== undefined) process.exitCode = exitCodeOf(verdict)
    else if (detailed && hasDrift(end.report)) process.exitCode = EXIT.changesPresent
  }
}

interface EndFlags {
  readonly once: boolean
  readonly 'detailed-exitcode': boolean
}

/** Whoever asked for one pass did not get it. */
const interruptedBy = ({stop}: DaemonSignals): number =>
  stop.reason === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted

const formatOf = (asked: string | undefined, isTerminal: boolean): 'json' | 'pretty' =>
  asked === 'json' || asked === 'pretty' ? asked : isTerminal ? 'pretty' : 'json'

interface SettingFlags {
  readonly config?: string | undefined
  readonly mode?: string | undefined
  readonly interval?: string | undefined
  readonly listen?: string | undefined
}

function settingsRequest({config, ...flags}: SettingFlags): Parameters<typeof useSettings>[0] {
  const given = (['mode', 'interval', 'listen'] as const).flatMap((name) => {
    const raw = flags[name]
    return raw === undefined ? [] : [[`daemon.${name}`, {flag: `--${name}`, raw}] as const]
  })
  return {
    cwd: process.cwd(),
    env: process.env,
    flags: Object.fromEntries(given),
    ...(config !== undefined && {configFile: config}),
  }
}
