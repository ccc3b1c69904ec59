// oclif as the commands start it that may not load whatever is installed. A package that is left out here is left out
// before any code of its can run: oclif itself would load the commands of each, and run their hooks.
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import type {Config} from '@oclif/core'
import {readListed} from './listed-plugins.ts'

/** `plugins`: none, so that a broken one can be removed. `daemon`: those alone that the settings allow. */
export async function loadOclif(entryUrl: string, args: readonly string[]): Promise<Config> {
  const {Config: Loader} = await import('@oclif/core')
  const root = fileURLToPath(entryUrl)
  const config = await Loader.load({root, userPlugins: false})
  const names = args[0] === 'daemon' ? await findAllowed(config.dataDir, args) : []
  if (names.length === 0) return config
  return Loader.load({
    root,
    plugins: new Map([...config.plugins, ...(await loadNamed(config.dataDir, names))]),
  })
}

/** Settings that cannot be read allow none; the command itself says what is wrong with them. */
async function findAllowed(dataDir: string, args: readonly string[]): Promise<readonly string[]> {
  const listed = readListed(dataDir)
  if (listed.length === 0) return []
  const {loadSettings} = await import('../app/use-settings.ts')
  const configFile = findConfigFlag(args)
  const request = {cwd: process.cwd(), env: process.env}
  const loaded = await loadSettings(configFile === undefined ? request : {...request, configFile})
  if (loaded.diagnostics.length > 0) return []
  const {allow} = loaded.settings.plugins
  return listed.filter((name) => allow.includes(name))
}

function findConfigFlag(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => arg === '--config' || arg.startsWith('--config='))
  return args[at]?.includes('=') ? args[at].slice('--config='.length) : at === -1 ? undefined : args[at + 1]
}

/** What cannot be loaded is missing from it; that is found when they are asked to register. */
async function loadNamed(dataDir: string, names: readonly string[]): Promise<Config['plugins']> {
  const {Plugin} = await import('@oclif/core')
  const loaded: Config['plugins'] = new Map()
  for (const name of names) {
    const plugin = new Plugin({name, root: join(dataDir, 'package.json'), type: 'user'})
    const isLoaded = await plugin.load().then(
      () => true,
      () => false,
    )
    if (isLoaded) loaded.set(plugin.name, plugin)
  }
  return loaded
}
