import {Flags} from '@oclif/core'
import {runSandbox} from '../lib/app/run-sandbox.ts'
import {BaseCommand} from '../lib/cli/base-command.ts'
import {untilSignal} from '../lib/cli/signals.ts'
import {renderSandboxReady} from '../lib/report/sandbox-text.ts'

export default class Sandbox extends BaseCommand {
  // The line is the result: it must come when the sandbox is ready, not when it ends.
  static override enableJsonFlag = false
  static override summary = 'Run an embedded Proxmox on loopback to learn, rehearse and test with.'
  static override description = `It answers as the API of Proxmox VE does, over HTTPS with a certificate authority of its own, and holds the example homelab unless a seed is named. When it is ready it prints one line of JSON on a pipe or with --json, and a short guide on a terminal. Ctrl-C ends it.

POST {url}/sandbox/reset goes back to the seed; POST {url}/sandbox/control takes faults and knobs.`
  static override examples = [
    '<%= config.bin %> sandbox',
    '<%= config.bin %> sandbox --port 18006 --state lab.json',
    {
      command: '<%= config.bin %> sandbox --port 0 --seed my-seed.json --json',
      description: 'On any free port, for a script',
    },
  ]
  static override flags = {
    port: Flags.integer({
      default: 18006,
      min: 0,
      max: 65_535,
      helpValue: 'N',
      summary: 'Port on 127.0.0.1; 0 takes any free one.',
    }),
    seed: Flags.string({helpValue: 'FILE', summary: 'State to begin with, in place of the example homelab.'}),
    state: Flags.string({helpValue: 'FILE', summary: 'Keep the state in this file from run to run.'}),
    json: Flags.boolean({summary: 'Print the line of JSON on a terminal too.'}),
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(Sandbox)
    const sandbox = await runSandbox({
      cwd: process.cwd(),
      packageRoot: this.config.root,
      port: flags.port,
      ...(flags.seed !== undefined && {seedFile: flags.seed}),
      ...(flags.state !== undefined && {stateFile: flags.state}),
    })
    const stopped = untilSignal('SIGINT', 'SIGTERM', 'SIGHUP')
    const asJson = flags.json || !process.stdout.isTTY
    this.print(asJson ? JSON.stringify(sandbox.ready) : renderSandboxReady(sandbox, this.palette()))
    await stopped
    await sandbox.close()
  }
}
