// What the units must know of this machine and its settings: which program they start, where it reads and writes.
// It only looks; what a hardened unit could not work with is refused here, before anything is written.
import {existsSync, realpathSync} from 'node:fs'
import {isAbsolute, join, resolve} from 'node:path'
import {FelhomError} from '../../model/felhom-error.ts'
import type {Settings} from '../../settings/settings.ts'
import {useSettings} from '../use-settings.ts'
import {CONFIG_DIRECTORY, STATE_DIRECTORY, type UnitFacts} from './render-units.ts'

export interface FactsRequest {
  /** Of the package: its bin/run.js is started. */
  readonly packageRoot: string
  /** Started in its place: an absolute path, a script of Node where it ends in .js. */
  readonly program?: string
  /** As the unit names it, below the prefix. */
  readonly config: string
  /** `/` but for tests and packages. */
  readonly prefix: string
}

export interface GatheredFacts {
  readonly facts: UnitFacts
  /** Sentences about what the operator has yet to see to. */
  readonly warnings: readonly string[]
}

export const DEFAULT_CONFIG = join(CONFIG_DIRECTORY, 'felhom.yaml')

export async function gatherFacts(request: FactsRequest): Promise<GatheredFacts> {
  const program = findProgram(request)
  const config = resolve('/', request.config)
  for (const path of [...program, config]) refuseHidden(path)
  const settings = await readSettings(request, config)
  const places = findWritable(settings, request.prefix)
  for (const path of [...program, config, ...places.writable]) refuseUnprintable(path)
  return {
    facts: {
      program,
      config,
      credential: findCredential(settings),
      ...places,
      stopTimeoutMs: settings?.daemon.stopTimeoutMs ?? 75_000,
      requestTimeoutMs: settings?.limits.timeoutMs ?? 40_000,
      intervalMs: settings?.daemon.intervalMs ?? 60_000,
      jitter: settings?.daemon.jitter ?? 0.1,
    },
    warnings: settings ? findUnreadable(settings, request.prefix) : [],
  }
}

/** The very Node that runs now, because what is first in a service's PATH may be another. */
function findProgram({packageRoot, program}: FactsRequest): readonly string[] {
  if (program === undefined) return [process.execPath, realpathSync(join(packageRoot, 'bin/run.js'))]
  if (!isAbsolute(program))
    throw refusal(`--program is not an absolute path: ${program}`, 'A unit starts no other.')
  return program.endsWith('.js') ? [process.execPath, program] : [program]
}

/** Directories that a unit with ProtectHome and PrivateTmp finds empty. */
const HIDDEN = ['/home', '/root', '/run/user', '/tmp', '/var/tmp']

const findHider = (path: string): string | undefined => HIDDEN.find((dir) => isBelow(path, dir))

const isBelow = (path: string, dir: string): boolean => path === dir || path.startsWith(`${dir}/`)

function refuseHidden(path: string): void {
  const dir = findHider(path)
  if (dir === undefined) return
  throw refusal(
    `${path} is below ${dir}, where the hardened unit sees nothing`,
    'Install Node and felhom for the whole system (npm install --global felhom as root, with a Node of the system), and keep the settings in /etc/felhom.',
  )
}

/** A line break would begin another line of the unit. */
function refuseUnprintable(path: string): void {
  if (!/[\u0000-\u001f\u007f]/.test(path)) return
  throw refusal(`${JSON.stringify(path)} holds a control character`, 'Give it a name without.')
}

/** undefined: there are none yet, and the units are made for the defaults. */
async function readSettings({prefix}: FactsRequest, config: string): Promise<Settings | undefined> {
  const configFile = join(prefix, config)
  if (!existsSync(configFile)) return undefined
  // Of whoever installs neither variables nor settings of his own are in the unit.
  return (await useSettings({cwd: '/', env: {}, configFile})).settings
}

function findCredential(settings: Settings | undefined): string | undefined {
  if (!settings?.token) return 'token'
  if (!('credential' in settings.token)) return undefined
  const {credential} = settings.token
  if (/^[\w.@-]{1,200}$/.test(credential)) return credential
  throw refusal(
    `${JSON.stringify(credential)} is no name of a credential`,
    'systemd takes a name without spaces, slashes and colons.',
  )
}

/** Whatever the daemon writes to, and its state directory does not hold. */
function findWritable(
  settings: Settings | undefined,
  prefix: string,
): Pick<UnitFacts, 'writable' | 'outcomes'> {
  if (!settings) return {writable: []}
  const state = withoutPrefix(settings.state, prefix)
  refuseState(state)
  const outcomes = settings.daemon.outcomes && withoutPrefix(settings.daemon.outcomes, prefix)
  if (outcomes !== undefined) refuseOutcomes(outcomes)
  const writable = [state, outcomes].filter(
    (path): path is string => path !== undefined && !isBelow(path, STATE_DIRECTORY) && path !== '',
  )
  // The state is for nobody else's eyes, whatever lies in it too.
  return {writable, ...(outcomes !== undefined && outcomes !== state && {outcomes})}
}

function refuseState(state: string): void {
  const dir = [...HIDDEN, '/etc', '/usr', '/boot', '/dev', '/proc', '/sys', '/run'].find((one) =>
    isBelow(state, one),
  )
  if (dir === undefined) return
  throw refusal(
    `the settings keep the state in ${state}, where the unit cannot keep it`,
    `Say it in the settings, so that the daemon and you mean the same: state: ${STATE_DIRECTORY}`,
  )
}

/** What is written there would be seen by nobody, and systemd may not even start the unit. */
function refuseOutcomes(outcomes: string): void {
  const dir = findHider(outcomes)
  if (dir === undefined) return
  throw refusal(
    `the settings keep outcomes of signed jobs in ${outcomes}, below ${dir}, where the hardened unit sees nothing`,
    'Name a place of their own in the settings, for example: daemon: {outcomes: /var/lib/felhom-outcomes}',
  )
}

function findUnreadable(settings: Settings, prefix: string): readonly string[] {
  const {desired, tls, trust, approvals, secrets, daemon, token} = settings
  const paths = [
    ...filesOfSource(desired),
    ...(token && 'file' in token ? [token.file] : []),
    ...[tls.ca, trust.dir, approvals, secrets, daemon.listenToken, daemon.webhookToken],
  ]
  return paths
    .filter((path) => path !== undefined)
    .map((path) => withoutPrefix(path, prefix))
    .filter((path) => findHider(path) !== undefined)
    .map(
      (path) =>
        `The settings name ${path}, where the hardened unit sees nothing: move it, to /etc/felhom for example.`,
    )
}

/** What the source itself is, where it is here, and what it is read with. */
function filesOfSource(desired: Settings['desired']): readonly (string | undefined)[] {
  if (!desired) return []
  if ('paths' in desired) return desired.paths
  if ('https' in desired) return [desired.ca, desired.token]
  return 'git' in desired ? [desired.git.replace(/^file:\/\//, '')] : []
}

/** Relative paths of the settings are below the file that was read, hence below the prefix. */
function withoutPrefix(path: string, prefix: string): string {
  const base = resolve(prefix)
  return base !== '/' && isBelow(path, base) ? resolve('/', path.slice(base.length + 1)) : path
}

const refusal = (message: string, hint: string): FelhomError =>
  new FelhomError('usage', message, {hint, doubt: 'Nothing was written.'})
