// Finds the settings files, merges the layers and says where each value came from. It reads files and the
// environment it is given, nothing else; secrets are never read here, only where they are kept.
import {readFileSync} from 'node:fs'
import {dirname, join, resolve} from 'node:path'
import type {Diagnostic} from '../model/diagnostic.ts'
import {definitionOf} from './definitions.ts'
import {defaultLayer, readEnvironmentLayer, readFlagLayer, type Layer, type LayerEntry} from './layers.ts'
import {maskSecrets} from './mask-secrets.ts'
import type {DesiredSource, MaintenanceWindow, Settings, TokenSource} from './settings.ts'

export interface SettingsRequest {
  cwd: string
  env: NodeJS.ProcessEnv
  /** `--config FILE`: stands in for the file of the project directory. */
  configFile?: string
  flags?: Record<string, {flag: string; raw: unknown}>
}

export interface LoadedSettings {
  settings: Settings
  entries: Map<string, LayerEntry>
  /** The files that exist, in falling precedence. */
  files: string[]
  diagnostics: Diagnostic[]
}

/** Variables that begin with FELHOM_ and are not settings. FELHOM_TOKEN is the token itself. */
export const RESERVED_VARIABLES: ReadonlySet<string> = new Set(['FELHOM_TOKEN', 'FELHOM_SKIP_BUILD'])

export async function loadSettings(request: SettingsRequest): Promise<LoadedSettings> {
  const {cwd, env} = request
  const fileLayers = await readFileLayers(request)
  const layers: Layer[] = [
    readFlagLayer(request.flags ?? {}, cwd),
    readEnvironmentLayer(env, cwd, oclifVariables(env)),
    ...fileLayers.layers,
    defaultLayer(projectDir(request)),
  ]
  const entries = mergeLayers(layers)
  return {
    settings: toSettings(entries),
    entries,
    files: fileLayers.files,
    diagnostics: layers.flatMap((l) => l.diagnostics).map(maskSecrets),
  }
}

const projectDir = ({configFile, cwd}: SettingsRequest): string =>
  configFile === undefined ? cwd : dirname(resolve(cwd, configFile))

/** oclif reads FELHOM_… variables of its own; they are no mistakes of the user's. */
function oclifVariables(env: NodeJS.ProcessEnv): Set<string> {
  const own =
    /^FELHOM_(?:CACHE_DIR|CONFIG_DIR|DATA_DIR|NPM_.*|SKIP_.*|HIDE_.*|BINPATH|REDIRECTED|TEST_.*|DISABLE_THEME|THEME_FILE|USE_TTY|CONTENT_TYPE|JSON|COLUMNS)$/
  return new Set([...RESERVED_VARIABLES, ...Object.keys(env).filter((name) => own.test(name))])
}

async function readFileLayers({
  cwd,
  env,
  configFile,
}: SettingsRequest): Promise<{layers: Layer[]; files: string[]}> {
  const xdg = env['XDG_CONFIG_HOME'] || (env['HOME'] ? join(env['HOME'], '.config') : undefined)
  // In /etc/felhom the first is the last.
  const candidates = new Set([
    configFile === undefined ? join(cwd, 'felhom.yaml') : resolve(cwd, configFile),
    ...(xdg ? [join(xdg, 'felhom/felhom.yaml')] : []),
    '/etc/felhom/felhom.yaml',
  ])
  const layers: Layer[] = []
  const files: string[] = []
  for (const [i, file] of [...candidates].entries()) {
    const content = readIfThere(file)
    if (content instanceof Uint8Array) {
      const {readFileLayer} = await import('./file-layer.ts')
      layers.push(readFileLayer(file, content))
      files.push(file)
    } else if (content !== undefined || (i === 0 && configFile !== undefined)) {
      const message = content ?? 'the file does not exist'
      layers.push({entries: new Map(), diagnostics: [{code: 'unreadable', file, message}]})
    }
  }
  return {layers, files}
}

/** The bytes, undefined where there is no such file, or why it cannot be read. */
function readIfThere(file: string): Uint8Array | string | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? undefined
      : `the file cannot be read (${code ?? String(error)})`
  }
}

/** The first layer that has a key wins; of keys that exclude each other, those of the first layer stay. */
function mergeLayers(layers: Layer[]): Map<string, LayerEntry> {
  const merged = new Map<string, LayerEntry>()
  const decided = new Map<string, Layer>()
  for (const layer of layers) {
    for (const [key, entry] of layer.entries) {
      const group = definitionOf.get(key)?.oneOf
      const owner = group === undefined ? undefined : decided.get(group)
      if (merged.has(key) || (owner && owner !== layer)) continue
      merged.set(key, entry)
      if (group !== undefined) decided.set(group, layer)
    }
  }
  return merged
}

function toSettings(entries: Map<string, LayerEntry>): Settings {
  const get = <T>(key: string): T | undefined => entries.get(key)?.value as T | undefined
  const number = (key: string): number => get<number>(key) ?? 0
  return {
    endpoints: get<string[]>('endpoint') ?? [],
    token: tokenSource(get),
    tls: {ca: get<string>('tls.ca'), fingerprints: get<string[]>('tls.fingerprints') ?? []},
    desired: get<DesiredSource>('desired'),
    state: get<string>('state') ?? '.felhom',
    trust: {dir: get<string>('trust.dir'), genesis: get<string>('trust.genesis')},
    approvals: get<string>('approvals'),
    secrets: get<string>('secrets'),
    gate: {maxDestroy: number('gate.max_destroy')},
    limits: {
      reads: number('limits.reads'),
      writesPerNode: number('limits.writes_per_node'),
      timeoutMs: number('limits.timeout'),
      taskTimeoutMs: number('limits.task_timeout'),
    },
    recover: {settleMs: number('recover.settle')},
    daemon: {
      intervalMs: number('daemon.interval'),
      jitter: number('daemon.jitter'),
      mode: get<Settings['daemon']['mode']>('daemon.mode') ?? 'observe',
      outside: get<Settings['daemon']['outside']>('daemon.outside') ?? 'observe',
      windows: get<MaintenanceWindow[]>('daemon.windows') ?? [],
      maxShrink: number('daemon.max_shrink'),
      staleAfterMs: number('daemon.stale_after'),
      backOffMaxMs: number('daemon.back_off_max'),
      stopTimeoutMs: number('daemon.stop_timeout'),
      trustWarningMs: number('daemon.trust_warning'),
      keepMs: number('daemon.keep'),
      outcomes: get<string>('daemon.outcomes'),
      listen: get<string>('daemon.listen'),
      listenToken: get<string>('daemon.listen_token'),
      webhookUrl: get<string>('daemon.webhook.url'),
      webhookToken: get<string>('daemon.webhook.token'),
    },
    plugins: {allow: get<string[]>('plugins.allow') ?? []},
  }
}

/** Of several in one layer the file comes first, then the systemd credential, then the environment. */
function tokenSource(get: <T>(key: string) => T | undefined): TokenSource | undefined {
  const file = get<string>('token.file')
  if (file !== undefined) return {file}
  const credential = get<string>('token.credential')
  if (credential !== undefined) return {credential}
  const env = get<string>('token.env')
  return env === undefined ? undefined : {env}
}
