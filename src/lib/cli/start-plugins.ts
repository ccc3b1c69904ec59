// The installed plugins as this command line may have them, before oclif looks for its command.
import type {Config} from '@oclif/core'
import type {FelhomError} from '../model/felhom-error.ts'
import {escapeLines} from '../report/escape-text.ts'
import {addPlugins, type AddOptions} from './add-plugins.ts'
import {choosePlugins} from './choose-plugins.ts'

/** Throws plugin_failed, except where only help or the version is asked for: that is given without a broken plugin. */
export async function startPlugins(config: Config, args: readonly string[]): Promise<void> {
  const asksOnly = asksForHelp(args)
  try {
    const allow = await choosePlugins(config.dataDir, args)
    const ask: AddOptions['ask'] = async (whole) =>
      (await import('./load-plugins.ts')).loadPlugins(whole, {allow})
    // `version` and `help` are topics too: a command of a plugin below them is run as any other.
    await addPlugins(config, allow, asksOnly ? {leaveOut: warn, ask} : {ask})
  } catch (error) {
    if (!asksOnly) throw error
    warn(error as FelhomError)
  }
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  return ['help', 'version', '--version', undefined].includes(args[0]) || own.includes('--help')
}

const warn = ({message}: FelhomError): void => {
  process.stderr.write(`Warning: ${escapeLines(message)}\n`)
}
