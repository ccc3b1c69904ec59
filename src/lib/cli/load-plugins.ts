// Asks the installed plugins to register, through the one hook that oclif runs for them. oclif swallows what a plugin
// throws and leaves out what it cannot load; here both stop felhom, with the plugin's name.
import type {Config} from '@oclif/core'
import {findObjection, REGISTER_HOOK} from '../plugin/check-package.ts'
import {PLUGIN_API_VERSION, type RegisterOptions} from '../plugin/contract.ts'
import {describeThrown} from '../plugin/describe-thrown.ts'
import {collectExtensions, refuse, type Extensions, type Registration} from '../plugin/extensions.ts'
import {inTime, LOAD_TIMEOUT_MS} from './in-time.ts'
import {readListed} from './listed-plugins.ts'

type HookConfig = Pick<Config, 'plugins' | 'dataDir' | 'version' | 'runHook'>
type OclifPlugin = Config['plugins'] extends Map<string, infer P> ? P : never

export interface LoadOptions {
  /** Absent: all that are installed. */
  readonly allow?: readonly string[]
  /** For each of them to register. */
  readonly timeoutMs?: number
  /** Nobody waits for them any more. */
  readonly signal?: AbortSignal
}

/** Throws plugin_failed, or the reason of `signal`. */
export async function loadPlugins(
  config: HookConfig,
  {allow, timeoutMs = LOAD_TIMEOUT_MS, signal}: LoadOptions = {},
): Promise<Extensions> {
  const listed = readListed(config.dataDir)
  const missing = allow?.find((name) => !listed.includes(name))
  if (missing !== undefined) throw refuse(missing, 'plugins.allow names it, and it is not installed')
  const wanted = [...new Set(listed)].filter((name) => !allow || allow.includes(name)).sort()
  const plugins = wanted.map((name) => findLoaded(config, name))
  refuseStrangers(config, wanted)
  for (const plugin of plugins) checkCommands(plugin, config)
  const registrations: Registration[] = []
  for (const plugin of plugins)
    registrations.push(...(await askToRegister(config, plugin, {timeoutMs, ...(signal && {signal})})))
  return collectExtensions(registrations)
}

function findLoaded({plugins}: HookConfig, name: string): OclifPlugin {
  const plugin = plugins.get(name)
  if (!plugin) throw refuse(name, 'it is installed, but could not be loaded')
  const objection = findObjection({hooks: plugin.hooks, plugins: plugin.pjson.oclif.plugins})
  if (objection !== undefined) throw refuse(name, objection)
  return plugin
}

/** Code that is here though nobody has asked for it, whose rules nobody would ask: oclif loads what a plugin brings along. */
function refuseStrangers({plugins}: HookConfig, wanted: readonly string[]): void {
  for (const {name, isRoot, type} of plugins.values())
    if (!isRoot && type !== 'core' && !wanted.includes(name))
      throw refuse(name, 'it is loaded, though it is not among those that are installed and allowed')
}

/** oclif leaves out a command that it cannot load, and of two of one name one. */
function checkCommands(plugin: OclifPlugin, {plugins}: HookConfig): void {
  const loaded = plugin.commands.map(({id}) => id)
  const broken = plugin.commandIDs.find((id) => !loaded.includes(id))
  if (broken !== undefined) throw refuse(plugin.name, `its command ${spaced(broken)} cannot be loaded`)
  const own = namesOfCommands(plugin)
  for (const other of plugins.values()) {
    if (other === plugin) continue
    const shared = namesOfCommands(other).find((name) => own.includes(name))
    if (shared !== undefined)
      throw refuse(plugin.name, `its command ${spaced(shared)} has the name of one of ${other.name}`)
  }
}

/** As a manifest has them, which may be an old one. */
interface CommandNames {
  readonly id: string
  readonly aliases?: readonly string[]
  readonly hiddenAliases?: readonly string[]
}

const namesOfCommands = ({commands}: {readonly commands: readonly CommandNames[]}): string[] =>
  commands.flatMap(({id, aliases = [], hiddenAliases = []}) => [id, ...aliases, ...hiddenAliases])

const spaced = (id: string): string => JSON.stringify(id.replaceAll(':', ' '))

/** One after the other: what is registered while one of them is asked is its own. */
async function askToRegister(
  config: HookConfig,
  plugin: OclifPlugin,
  {timeoutMs, signal}: {readonly timeoutMs: number; readonly signal?: AbortSignal},
): Promise<Registration[]> {
  if (plugin.hooks[REGISTER_HOOK] === undefined) return []
  signal?.throwIfAborted()
  const brought: unknown[] = []
  let isAsked = true
  const options: RegisterOptions = {
    apiVersion: PLUGIN_API_VERSION,
    felhomVersion: config.version,
    register: (one) => {
      // Nobody would take it, and whoever wrote it would count on it.
      if (!isAsked) throw refuse(plugin.name, 'it registered after its hook had ended')
      brought.push(one)
    },
  }
  const alone = Object.create(config, {plugins: {value: new Map([[plugin.name, plugin]])}}) as HookConfig
  const asked = alone.runHook(REGISTER_HOOK, {...options}, undefined, true)
  const {failures} = await inTime(plugin.name, 'register', asked, timeoutMs, signal).finally(() => {
    isAsked = false
  })
  const [failure] = failures
  if (failure)
    throw refuse(plugin.name, `it failed to register: ${describeThrown(failure.error)}`, failure.error)
  if (brought.length === 0) throw refuse(plugin.name, `its hook ${REGISTER_HOOK} has registered nothing`)
  return brought.map((one) => ({package: plugin.name, plugin: one}))
}
