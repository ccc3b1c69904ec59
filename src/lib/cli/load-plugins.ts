// Asks the installed plugins to register, through the one hook that oclif runs for them. oclif swallows what a plugin
// throws and leaves out what it cannot load; here both stop felhom, with the plugin's name.
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Config} from '@oclif/core'
import {PLUGIN_API_VERSION, type RegisterOptions} from '../plugin/contract.ts'
import {collectExtensions, NO_EXTENSIONS, refuse, type Extensions} from '../plugin/extensions.ts'

export const REGISTER_HOOK = 'felhom:register'
const TIMEOUT_MS = 10_000

type HookConfig = Pick<Config, 'plugins' | 'dataDir' | 'version' | 'runHook'>

/** `allow`: undefined: all that are installed. */
export async function loadPlugins(config: HookConfig, allow?: readonly string[]): Promise<Extensions> {
  const listed = readListed(config.dataDir)
  if (listed.length === 0) return NO_EXTENSIONS
  const wanted = listed.filter((name) => !allow || allow.includes(name))
  for (const name of wanted)
    if (!config.plugins.has(name)) throw refuse(name, 'it is installed, but could not be loaded')
  for (const name of config.plugins.keys())
    if (listed.includes(name) && !wanted.includes(name)) config.plugins.delete(name)
  return register(config, new Set(wanted))
}

async function register(config: HookConfig, installed: ReadonlySet<string>): Promise<Extensions> {
  const registered: unknown[] = []
  const options: RegisterOptions = {
    apiVersion: PLUGIN_API_VERSION,
    felhomVersion: config.version,
    register: (plugin) => {
      registered.push(plugin)
    },
  }
  const {failures} = await config.runHook(REGISTER_HOOK, {...options}, TIMEOUT_MS, true)
  const [failure] = [...failures].sort((a, b) => (a.plugin.name < b.plugin.name ? -1 : 1))
  if (failure)
    throw refuse(failure.plugin.name, `it failed to register: ${failure.error.message}`, failure.error)
  return collectExtensions(registered, installed)
}

/** Packages that `felhom plugins install` has put there. */
export function readListed(dataDir: string): string[] {
  let text: string
  try {
    text = readFileSync(join(dataDir, 'package.json'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw refuse('list', `${join(dataDir, 'package.json')} cannot be read`, error)
  }
  try {
    const {oclif} = JSON.parse(text) as {oclif?: {plugins?: readonly {name?: unknown}[]}}
    return (oclif?.plugins ?? []).flatMap(({name}) => (typeof name === 'string' ? [name] : []))
  } catch (error) {
    throw refuse('list', `${join(dataDir, 'package.json')} is not what felhom plugins wrote`, error)
  }
}
