// Which of the installed plugins this command line may load. One that is left out here is left out before any code of it
// can run. Asked only where mayHavePlugins has said so.
import {readListed} from './listed-plugins.ts'

/**
 * `plugins` and `daemon install`: none, so that they work beside a broken one. `daemon`: those alone that the settings
 * allow. Throws plugin_failed for a list that cannot be relied on.
 */
export async function choosePlugins(dataDir: string, args: readonly string[]): Promise<readonly string[]> {
  // oclif takes `daemon:install` for `daemon install`.
  const [topic, command = args[1]] = (args[0] ?? '').split(':')
  if (topic === 'plugins' || (topic === 'daemon' && command === 'install')) return []
  const listed = [...new Set(readListed(dataDir, true))].sort()
  if (topic !== 'daemon' || listed.length === 0) return listed
  const allow = await readAllowed(args)
  return listed.filter((name) => allow.includes(name))
}

/** Settings that cannot be read allow none; the command itself says what is wrong with them. */
async function readAllowed(args: readonly string[]): Promise<readonly string[]> {
  const {loadSettings} = await import('../app/use-settings.ts')
  const configFile = findConfigFlag(args)
  const request = {cwd: process.cwd(), env: process.env}
  const loaded = await loadSettings(configFile === undefined ? request : {...request, configFile})
  return loaded.diagnostics.length > 0 ? [] : loaded.settings.plugins.allow
}

function findConfigFlag(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => arg === '--config' || arg.startsWith('--config='))
  return args[at]?.includes('=') ? args[at].slice('--config='.length) : at === -1 ? undefined : args[at + 1]
}
