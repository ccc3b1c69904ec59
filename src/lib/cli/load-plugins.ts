// Asks the installed plugins to register, through the one hook that oclif runs for them. oclif swallows what a plugin
// throws and leaves out what it cannot load; here both stop felhom, with the plugin's name.
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import type {Config} from '@oclif/core'
import {PLUGIN_API_VERSION, type RegisterOptions} from '../plugin/contract.ts'
import {collectExtensions, NO_EXTENSIONS, refuse, type Extensions} from '../plugin/extensions.ts'

export const REGISTER_HOOK = 'felhom:register'
const TIMEOUT_MS = 10_000

type HookConfig = Pick<Config, 'plugins' | 'dataDir' | 'version' | 'runHook'>

/** `allow`: undefined: all that are installed. */
export async function loadPlugins(config: HookConfig, allow?: readonly string[]): Promise<Extensions> {
  const listed = readListed(config.dataDir)
  if (listed.length + (allow?.length ?? 0) === 0) return NO_EXTENSIONS
  const missing = allow?.find((name) => !listed.includes(name))
  if (missing !== undefined) throw refuse(missing, 'plugins.allow names it, and it is not installed')
  const wanted = listed.filter((name) => !allow || allow.includes(name))
  for (const name of wanted)
    if (!config.plugins.has(name)) throw refuse(name, 'it is installed, but could not be loaded')
  for (const name of config.plugins.keys())
    if (listed.includes(name) && !wanted.includes(name)) config.plugins.delete(name)
  return register(config, new Set(wanted))
}

/**
 * oclif as the daemon starts it: of the installed plugins those alone that the settings allow, before any code of
 * theirs can run. Settings that cannot be read allow none; the command itself says what is wrong with them.
 */
export async function loadAllowed(entryUrl: string, args: readonly string[]): Promise<Config> {
  const {Config: Loader} = await import('@oclif/core')
  const config = await Loader.load(fileURLToPath(entryUrl))
  const listed = readListed(config.dataDir)
  if (listed.length === 0) return config
  const allow = await readAllowed(args)
  for (const name of listed) if (!allow.includes(name)) config.plugins.delete(name)
  return config
}

async function readAllowed(args: readonly string[]): Promise<readonly string[]> {
  const {loadSettings} = await import('../app/use-settings.ts')
  const at = args.findIndex((arg) => arg === '--config' || arg.startsWith('--config='))
  const configFile = args[at]?.includes('=') ? args[at].slice('--config='.length) : args[at + 1]
  const request = {cwd: process.cwd(), env: process.env}
  const loaded = await loadSettings(
    at !== -1 && configFile !== undefined ? {...request, configFile} : request,
  )
  return loaded.diagnostics.length === 0 ? loaded.settings.plugins.allow : []
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
