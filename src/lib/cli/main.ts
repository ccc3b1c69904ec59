// The entry of the program: settles colour once, hands over to oclif, and reports what no command reported.
import {run, settings, type Config} from '@oclif/core'
import {settleColour} from './colour.ts'
import {silentExitCode} from './describe-error.ts'
import {reportFailure} from './report-failure.ts'

/** These load only what they may; the others load what is installed. */
const CHOOSY = ['daemon', 'plugins']

async function chooseOclif(entryUrl: string, args: readonly string[]): Promise<Config | string> {
  if (!CHOOSY.includes(args[0] ?? '')) return entryUrl
  const {loadOclif} = await import('./load-oclif.ts')
  return loadOclif(entryUrl, args)
}

export async function main(entryUrl: string, {development = false} = {}): Promise<void> {
  settleColour(process.env, process.stdout.isTTY)
  outliveClosedStderr()
  settings.enableAutoTranspile = development
  if (development) process.env['NODE_ENV'] = 'development'
  const args = process.argv.slice(2)
  try {
    await run(args, await chooseOclif(entryUrl, args))
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
