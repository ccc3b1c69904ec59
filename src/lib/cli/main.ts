// The entry of the program: settles colour once, hands over to oclif, and reports what no command reported.
import {run, settings, type Config} from '@oclif/core'
import {settleColour} from './colour.ts'
import {silentExitCode} from './describe-error.ts'
import {reportFailure} from './report-failure.ts'

/** The daemon loads only what it is allowed to; the others load what is installed. */
async function loadAllowed(entryUrl: string, args: readonly string[]): Promise<Config> {
  const plugins = await import('./load-plugins.ts')
  return plugins.loadAllowed(entryUrl, args)
}

export async function main(entryUrl: string, {development = false} = {}): Promise<void> {
  settleColour(process.env, process.stdout.isTTY)
  outliveClosedStderr()
  settings.enableAutoTranspile = development
  if (development) process.env['NODE_ENV'] = 'development'
  const args = process.argv.slice(2)
  try {
    await run(args, args[0] === 'daemon' ? await loadAllowed(entryUrl, args) : entryUrl)
  } catch (error) {
    const code = silentExitCode(error)
    if (code === undefined) reportFailure(error, {asJson: asksForJson(args)})
    else process.exitCode = code
  }
}

/** Whoever closed the pipe does not want to read on; that is no failure. oclif does the same for stdout. */
function outliveClosedStderr(): void {
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

/** For errors before a command was found, which alone knows its flags. */
function asksForJson(args: string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes('--json')
}
