// The entry of the program: settles colour once, hands over to oclif, and reports what no command reported.
import {Config, run, settings} from '@oclif/core'
import {settleColour} from './colour.ts'
import {silentExitCode} from './describe-error.ts'
import {endProcess} from './end-process.ts'
import {watchOutput} from './lost-output.ts'
import {mayHavePlugins} from './may-have-plugins.ts'
import {reportFailure} from './report-failure.ts'
import {refuseSilentEnd} from './silent-end.ts'

/** `root` is the directory of the package. */
export async function main(root: string, {development = false} = {}): Promise<void> {
  settleColour(process.env, process.stdout.isTTY)
  watchOutput()
  settings.enableAutoTranspile = development
  if (development) process.env['NODE_ENV'] = 'development'
  const args = process.argv.slice(2)
  const asJson = asksForJson(args)
  const hasEnded = refuseSilentEnd(asJson)
  let usesPlugins = false
  try {
    const config = await Config.load({root, userPlugins: false})
    usesPlugins = mayHavePlugins(config.dataDir)
    if (usesPlugins) {
      const [{startPlugins}, {endOnLateFailures}] = await Promise.all([
        import('./start-plugins.ts'),
        import('./late-failures.ts'),
      ])
      endOnLateFailures(asJson)
      await startPlugins(config, args)
    }
    await run(args, config)
  } catch (error) {
    const code = silentExitCode(error)
    if (code === undefined) reportFailure(error, {asJson})
    else process.exitCode = code
  }
  hasEnded()
  if (usesPlugins) await endProcess()
}

/** For errors before a command was found, which alone knows its flags. */
function asksForJson(args: string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes('--json')
}
