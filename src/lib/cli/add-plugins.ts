// Loads plugins into oclif one by one and by their names. oclif itself would wait for ever for one that hangs, load what
// a plugin brings for plugins of its own, and leave out what it cannot load.
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {Plugin, type Config} from '@oclif/core'
import {findObjection} from '../plugin/check-package.ts'
import {describeThrown} from '../plugin/describe-thrown.ts'
import {refuse} from '../plugin/extensions.ts'
import type {FelhomError} from '../model/felhom-error.ts'
import {nameOwner} from './describe-error.ts'
import {inTime, LOAD_TIMEOUT_MS} from './in-time.ts'
import {allowEnd} from './silent-end.ts'

export interface AddOptions {
  /** For each of them to be loaded. */
  readonly timeoutMs?: number
  /** Told of each that cannot be used, in place of ending with it: help is given beside a broken one. */
  readonly leaveOut?: (error: FelhomError) => void
  /** Asked before a command of a plugin is run: felhom's own ask by themselves. */
  readonly ask?: (config: Config) => Promise<unknown>
}

/** To `config.plugins`, of which oclif makes its commands when it is run with it. Throws plugin_failed. */
export async function addPlugins(
  config: Config,
  names: readonly string[],
  {timeoutMs = LOAD_TIMEOUT_MS, leaveOut, ask}: AddOptions = {},
): Promise<void> {
  const all = await Promise.all(
    names.map((name) =>
      loadPackage(config.dataDir, name, timeoutMs).catch((error: unknown) => error as FelhomError),
    ),
  )
  for (const one of all) {
    if (one instanceof Plugin) {
      if (ask) guardCommands(one, () => ask(config), timeoutMs)
      config.plugins.set(one.name, one)
    } else if (leaveOut) leaveOut(one)
    else throw one
  }
}

async function loadPackage(dataDir: string, name: string, timeoutMs: number): Promise<Plugin> {
  if (!existsSync(join(dataDir, 'node_modules', name, 'package.json')))
    throw refuse(name, 'it is installed, but could not be loaded: its files are missing')
  const plugin = new Plugin({name, root: join(dataDir, 'package.json'), type: 'user'})
  const loading = plugin.load().catch((error: unknown) => {
    throw refuse(name, `it is installed, but could not be loaded: ${describeThrown(error)}`, error)
  })
  await inTime(name, 'load', loading, timeoutMs)
  if (plugin.name !== name)
    throw refuse(name, `it is installed, but could not be loaded: its files are of ${plugin.name}`)
  const objection = findObjection({hooks: plugin.hooks, plugins: plugin.pjson.oclif.plugins})
  if (objection !== undefined) throw refuse(name, objection)
  return plugin
}

/** A command of a plugin runs under the same terms as one of felhom: all that is installed has registered. */
function guardCommands(plugin: Plugin, ask: () => Promise<unknown>, timeoutMs: number): void {
  for (const command of plugin.commands) {
    const load = command.load.bind(command)
    command.load = async () => {
      await ask()
      const what = `load its command ${command.id.replaceAll(':', ' ')}`
      const loaded = await inTime(plugin.name, what, load(), timeoutMs)
      allowEnd()
      nameOwner(plugin.name)
      return loaded
    }
  }
}
