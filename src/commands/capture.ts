import {Flags} from '@oclif/core'
import {captureCluster, type Capture as CaptureFile} from '../lib/app/capture/capture-cluster.ts'
import {withProxmox} from '../lib/app/compose.ts'
import {describeGaps} from '../lib/app/plan/describe-completeness.ts'
import {writeOutput} from '../lib/app/write-output.ts'
import {useSettings} from '../lib/app/use-settings.ts'
import {BaseCommand} from '../lib/cli/base-command.ts'
import {escapeText} from '../lib/report/escape-text.ts'
import {toJsonText} from '../lib/report/json-text.ts'
import {plural} from '../lib/report/plural.ts'

export default class Capture extends BaseCommand {
  static override summary = 'Write the live state to one redacted file.'
  static override description =
    'For planning without credentials and for reports of bugs. Passwords, SSH keys, environment variables and extra arguments of guests are left out and marked; names, addresses and descriptions are kept. Reads only.'
  static override examples = [
    '<%= config.bin %> capture --out cluster.json',
    '<%= config.bin %> capture | jq .cluster.guests',
  ]
  static override flags = {
    out: Flags.string({
      char: 'o',
      helpValue: 'FILE',
      summary: 'File to write, mode 0600; without it the capture goes to stdout.',
    }),
  }

  override async run(): Promise<CaptureFile> {
    const {flags} = await this.parse(Capture)
    const {settings} = await useSettings({
      cwd: process.cwd(),
      env: process.env,
      ...(flags.config && {configFile: flags.config}),
    })
    const capture = await withProxmox(settings, process.env, ({reader}) =>
      captureCluster(reader, () => new Date()),
    )
    for (const gap of describeGaps(capture.cluster)) this.addWarning(gap)
    const text = toJsonText(capture, 1)
    if (flags.out !== undefined) {
      writeOutput(process.cwd(), flags.out, `${text}\n`)
      this.print(escapeText(`${plural(capture.cluster.guests.length, 'guest')} captured in ${flags.out}`))
    } else this.print(text)
    return capture
  }
}
