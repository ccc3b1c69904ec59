// Plugins as packages of their own in felhom's data directory, where oclif looks for them. npm fetches them, and runs
// none of their scripts; what is listed here is loaded, and nothing else.
import {spawn} from 'node:child_process'
import {mkdirSync, readFileSync} from 'node:fs'
import {isAbsolute, join, resolve} from 'node:path'
import {FelhomError} from '../model/felhom-error.ts'
import {findObjection, REGISTER_HOOK, type OclifSection} from '../plugin/check-package.ts'
import {replaceFile} from '../store/replace-file.ts'

export interface InstalledPlugin {
  readonly name: string
  readonly version: string
  /** What it brings: `commands`, `extensions`. */
  readonly brings: readonly string[]
}

interface Manifest {
  dependencies?: Record<string, string>
  oclif?: {schema?: number; plugins?: {type: string; name: string; tag?: string}[]}
  [key: string]: unknown
}

/** `spec`: a name, a name with a version, a directory or a file as `npm pack` makes it. */
export async function installPlugin(dataDir: string, spec: string, cwd: string): Promise<InstalledPlugin> {
  mkdirSync(dataDir, {recursive: true, mode: 0o700})
  const before = readManifest(dataDir)
  writeManifest(dataDir, before)
  await runNpm(dataDir, 'install', '--save-exact', '--install-links', locate(spec, cwd))
  const after = readManifest(dataDir)
  const name = findAdded(before, after, spec)
  try {
    const plugin = describePlugin(dataDir, name)
    if (plugin.brings.length === 0) throw refused(`${name} is no plugin for felhom`, NO_PLUGIN)
    if (plugin.objection !== undefined)
      throw refused(`${name} cannot be used: ${plugin.objection}`, 'Ask whoever wrote it.')
    writeManifest(dataDir, listed(after, name))
    return {name, version: plugin.version, brings: plugin.brings}
  } catch (error) {
    await runNpm(dataDir, 'uninstall', name)
    throw error
  }
}

export async function removePlugin(dataDir: string, name: string): Promise<void> {
  const manifest = readManifest(dataDir)
  const plugins = manifest.oclif?.plugins ?? []
  if (!plugins.some((plugin) => plugin.name === name))
    throw refused(`there is no plugin ${name}`, 'See those that are installed with: felhom plugins list')
  // First off the list, so that nothing of it is loaded whatever becomes of its files.
  const rest = plugins.filter((plugin) => plugin.name !== name)
  writeManifest(dataDir, {...manifest, oclif: {...manifest.oclif, plugins: rest}})
  await runNpm(dataDir, 'uninstall', name).catch((error: unknown) => {
    throw new FelhomError('usage', (error as Error).message, {
      hint: `Remove ${join(dataDir, 'node_modules', name)} by hand.`,
      doubt: `${name} is not loaded any more, but its files are still there.`,
    })
  })
}

export function listPlugins(dataDir: string): InstalledPlugin[] {
  const plugins = readManifest(dataDir).oclif?.plugins ?? []
  return plugins
    .map(({name}) => describePlugin(dataDir, name))
    .map(({name, version, brings}) => ({name, version, brings}))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function describePlugin(dataDir: string, name: string): InstalledPlugin & {readonly objection?: string} {
  const file = join(dataDir, 'node_modules', name, 'package.json')
  try {
    const {version, oclif} = JSON.parse(readFileSync(file, 'utf8')) as {
      version?: string
      oclif?: OclifSection & {commands?: unknown; hooks?: Record<string, unknown>}
    }
    const brings = [
      ...(oclif?.commands === undefined ? [] : ['commands']),
      ...(oclif?.hooks?.[REGISTER_HOOK] === undefined ? [] : ['extensions']),
    ]
    const objection = findObjection(oclif ?? {})
    return {name, version: version ?? '', brings, ...(objection !== undefined && {objection})}
  } catch (error) {
    throw new FelhomError('plugin_failed', `the plugin ${name} cannot be used: ${file} cannot be read`, {
      cause: error,
      hint: `Install it again, or remove it with: felhom plugins remove ${name}`,
    })
  }
}

/** A path is meant where there is one: npm would take `./x.tgz` for relative to the data directory. */
function locate(spec: string, cwd: string): string {
  const isPath = isAbsolute(spec) || /^\.{1,2}\//.test(spec) || spec.endsWith('.tgz')
  return isPath ? resolve(cwd, spec) : spec
}

function findAdded(before: Manifest, after: Manifest, spec: string): string {
  const [had, has] = [before.dependencies ?? {}, after.dependencies ?? {}]
  const changed = Object.keys(has).filter((name) => has[name] !== had[name])
  const named = Object.keys(has).find((name) => spec === name || spec.startsWith(`${name}@`))
  const name = changed[0] ?? named
  if (name !== undefined) return name
  throw refused(`npm has installed nothing for ${spec}`, 'Name a package, a directory or a .tgz file.')
}

function listed(manifest: Manifest, name: string): Manifest {
  const others = (manifest.oclif?.plugins ?? []).filter((plugin) => plugin.name !== name)
  return {...manifest, oclif: {schema: 1, plugins: [...others, {type: 'user', name}]}}
}

function readManifest(dataDir: string): Manifest {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(dataDir, 'package.json'), 'utf8'))
    if (typeof manifest === 'object' && manifest !== null && !Array.isArray(manifest))
      return manifest as Manifest
    throw new TypeError('it is no object')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return {private: true, oclif: {schema: 1, plugins: []}}
    throw new FelhomError('plugin_failed', `${join(dataDir, 'package.json')} cannot be read`, {
      cause: error,
      hint: 'Mend it, or remove it and install the plugins again.',
    })
  }
}

const writeManifest = (dataDir: string, manifest: Manifest): void => {
  replaceFile(join(dataDir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

const NO_PLUGIN = `Its package.json names neither commands nor the hook ${REGISTER_HOOK} under "oclif".`

function runNpm(dataDir: string, ...args: string[]): Promise<void> {
  const quiet = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--omit=dev',
    '--loglevel=error',
  ]
  return new Promise((done, reject) => {
    const child = spawn('npm', [...args, ...quiet, '--prefix', dataDir], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (bytes: Buffer) => {
      said = `${said}${bytes.toString()}`.slice(-4000)
    })
    child.once('error', (error) => {
      reject(refused(`npm cannot be started: ${error.message}`, 'Install npm, which comes with Node.'))
    })
    child.once('close', (code) => {
      if (code === 0) done()
      else
        reject(
          refused(`npm ${args[0] ?? ''} ended with ${String(code)}: ${said.trim()}`, 'See what npm says.'),
        )
    })
  })
}

const refused = (message: string, hint: string): FelhomError =>
  new FelhomError('usage', message, {hint, doubt: 'No plugin was added.'})
