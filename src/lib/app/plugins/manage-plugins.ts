// Plugins as packages of their own in felhom's data directory, where oclif looks for them. npm fetches them, and runs
// none of their scripts; what is listed here is loaded, and nothing else.
import {existsSync, mkdirSync, readFileSync, realpathSync} from 'node:fs'
import {isAbsolute, join, resolve} from 'node:path'
import {FelhomError} from '../../model/felhom-error.ts'
import {findObjection, REGISTER_HOOK, type OclifSection} from '../../plugin/check-package.ts'
import {describeThrown} from '../../plugin/describe-thrown.ts'
import {replaceFile} from '../../store/replace-file.ts'
import {KeptInstall} from './kept-install.ts'
import {runNpm, type NpmPlace} from './run-npm.ts'

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

export interface InstallRequest {
  readonly dataDir: string
  /** A name, a name with a version, a directory or a file as `npm pack` makes it. */
  readonly spec: string
  readonly cwd: string
  /** Breaks it off: all is put back then. */
  readonly signal: AbortSignal
}

export async function installPlugin({dataDir, spec, cwd, signal}: InstallRequest): Promise<InstalledPlugin> {
  makeDataDir(dataDir)
  const before = readManifest(dataDir)
  writeManifest(dataDir, before)
  const kept = new KeptInstall(dataDir)
  try {
    const plugin = await fetchPlugin({dataDir, signal}, before, locate(spec, cwd))
    writeManifest(dataDir, listed(readManifest(dataDir), plugin.name))
    return plugin
  } catch (error) {
    putBack(kept, error)
    throw error
  } finally {
    kept.forget()
  }
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, {recursive: true, mode: 0o700})
  } catch (error) {
    const why = `the directory ${dataDir} cannot be made (${describeThrown(error)})`
    throw refused(why, 'Mend what is in the way, or name another directory with FELHOM_DATA_DIR.')
  }
}

/** Throws usage if it is none that felhom would load. */
async function fetchPlugin(place: NpmPlace, before: Manifest, spec: string): Promise<InstalledPlugin> {
  const {dataDir} = place
  // A path that has been installed before may hold something else by now; npm would not look.
  const old = findFromPath(dataDir, before, spec)
  if (old !== undefined) await npm(place, 'uninstall', old)
  const had = readManifest(dataDir)
  await npm(place, 'install', '--save-exact', '--install-links', spec)
  const name = findInstalled(had, readManifest(dataDir), spec)
  const {version, brings, objection} = describePlugin(dataDir, name)
  if (brings.length === 0) throw refused(`${name} is no plugin for felhom`, NO_PLUGIN)
  if (objection !== undefined) throw refused(`${name} cannot be used: ${objection}`, 'Ask whoever wrote it.')
  return {name, version, brings}
}

/** Throws what went wrong, and that it could not be put right, if it could not. */
function putBack(kept: KeptInstall, cause: unknown): void {
  try {
    kept.putBack()
  } catch (error) {
    throw new FelhomError('usage', describeThrown(cause), {
      cause,
      hint: 'Mend what is in the way, then install the plugins again.',
      doubt: `The plugins could not be put back as they were: ${describeThrown(error)}. What is incomplete is not used: felhom stops and names it.`,
    })
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
  const problem = await runNpm({dataDir}, 'uninstall', name)
  if (problem)
    throw new FelhomError('usage', problem.message, {
      hint: `Remove ${join(dataDir, 'node_modules', name)} by hand.`,
      doubt: `${name} is not loaded any more, but its files are still there.`,
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
    const {
      name: own,
      version,
      oclif,
    } = JSON.parse(readFileSync(file, 'utf8')) as {
      name?: string
      version?: string
      oclif?: OclifSection & {commands?: unknown; hooks?: Record<string, unknown>}
    }
    const brings = [
      ...(oclif?.commands === undefined ? [] : ['commands']),
      ...(oclif?.hooks?.[REGISTER_HOOK] === undefined ? [] : ['extensions']),
    ]
    // npm installs under any name that it is told; what is loaded goes by its own.
    const objection = own === name ? findObjection(oclif ?? {}) : `its files are of ${String(own)}`
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

function findInstalled({dependencies: had = {}}: Manifest, after: Manifest, spec: string): string {
  const has = after.dependencies ?? {}
  const changed = Object.keys(has).find((name) => has[name] !== had[name])
  const named = Object.keys(has).find(
    (name) => spec === name || spec.startsWith(`${name}@`) || spec === has[name],
  )
  const name = changed ?? named
  if (name !== undefined) return name
  throw refused(`npm has installed nothing for ${spec}`, 'Name a package, a directory or a .tgz file.')
}

/** npm writes a path relative to where it installs. */
function findFromPath(dataDir: string, {dependencies = {}}: Manifest, path: string): string | undefined {
  if (!isAbsolute(path) || !existsSync(path)) return undefined
  const real = realpathSync(path)
  return Object.keys(dependencies).find((name) => {
    const from = dependencies[name] ?? ''
    const own = resolve(realpathSync(dataDir), from.slice('file:'.length))
    return from.startsWith('file:') && existsSync(own) && realpathSync(own) === real
  })
}

async function npm(place: NpmPlace, ...args: string[]): Promise<void> {
  place.signal?.throwIfAborted()
  const problem = await runNpm(place, ...args)
  place.signal?.throwIfAborted()
  if (problem) throw refused(problem.message, problem.hint)
}

function listed(manifest: Manifest, name: string): Manifest {
  const others = (manifest.oclif?.plugins ?? []).filter((plugin) => plugin.name !== name)
  return {...manifest, oclif: {schema: 1, plugins: [...others, {type: 'user', name}]}}
}

function readManifest(dataDir: string): Manifest {
  const file = join(dataDir, 'package.json')
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return {private: true, oclif: {schema: 1, plugins: []}}
    throw new FelhomError('plugin_failed', `${file} cannot be read (${describeThrown(error)})`, {
      cause: error,
      hint: 'Run felhom as a user who may read it, or name another directory with FELHOM_DATA_DIR.',
    })
  }
  try {
    const manifest: unknown = JSON.parse(text)
    if (typeof manifest === 'object' && manifest !== null && !Array.isArray(manifest))
      return manifest as Manifest
    throw new TypeError('it is no object')
  } catch (error) {
    throw new FelhomError('plugin_failed', `${file} is not what felhom plugins install wrote`, {
      cause: error,
      hint: 'Mend it, or remove it and install the plugins again.',
    })
  }
}

const writeManifest = (dataDir: string, manifest: Manifest): void => {
  replaceFile(join(dataDir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

const NO_PLUGIN = `Its package.json names neither commands nor the hook ${REGISTER_HOOK} under "oclif".`

const refused = (message: string, hint: string): FelhomError =>
  new FelhomError('usage', message, {hint, doubt: 'The plugins are as they were.'})
