// The use case behind `felhom daemon`: telling opened first, so that whatever follows is told; then the loop, until it
// is told to end. It changes nothing that a pass did not journal before.
import type {PassReport} from '../../model/daemon.ts'
import type {Extensions} from '../../plugin/extensions.ts'
import type {LoadedSettings} from '../use-settings.ts'
import {describeLeftOut, refuseOtherPlugins} from '../plugins/allowed-plugins.ts'
import {systemClock} from '../system-clock.ts'
import {checkAccess} from '../compose.ts'
import {readToken} from '../read-token.ts'
import {openDaemonWorld, type DaemonWorld} from './compose-daemon.ts'
import {describeStanding} from './tell/describe-standing.ts'
import type {LogOptions, Telling} from './tell/open-telling.ts'
import {withReason} from './interruption-reason.ts'
import {openTelling} from './tell/open-telling.ts'
import {PassMemory, type Told} from './pass-world.ts'
import {PluginNotifiers} from './tell/plugin-notifiers.ts'
import {runLoop, type LoopEnd} from './run-loop.ts'
import {runPass} from './run-pass.ts'
import type {Notifier} from './ports.ts'
import type {WakeUp} from './wake-up.ts'

export interface DaemonRequest {
  /** Throws settings_invalid with every mistake. */
  loadSettings(): Promise<LoadedSettings>
  /** Those alone that the settings allow; throws plugin_failed. Asked once: code cannot be unloaded. */
  loadPlugins(allow: readonly string[]): Promise<Extensions>
  /** All that are installed, allowed or not; throws plugin_failed. */
  installedPlugins(): readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly version: string
  readonly once: boolean
  readonly log: LogOptions
  readonly notifier: Notifier
  readonly stop: AbortSignal
  readonly wakeUp: WakeUp
}

export interface DaemonOutcome {
  readonly end: LoopEnd
  /** Operations that the last pass left open. */
  readonly left: number
}

export async function runDaemon(request: DaemonRequest): Promise<DaemonOutcome> {
  const {env, version, log, once} = request
  const settings = forBackground(await request.loadSettings())
  const extensions = await request.loadPlugins(settings.plugins.allow)
  const warn = (text: string): void => {
    telling.sink({type: 'warning', text, atMs: systemClock.now()})
  }
  const notifiers = new PluginNotifiers(extensions, process.cwd(), warn)
  const telling = await openTelling({
    ...{settings, version, clock: systemClock, env, log, listens: !once},
    onAlert: (alert) => {
      notifiers.tell(alert)
    },
  })
  try {
    const leftOut = describeLeftOut(request.installedPlugins(), settings.plugins.allow)
    if (leftOut !== undefined) warn(leftOut)
    return await new Daemon(request, telling, settings, extensions).run()
  } finally {
    await notifiers.close()
    await telling.close()
  }
}

class Daemon {
  readonly #request: DaemonRequest
  readonly #telling: Telling
  readonly #memory = new PassMemory()
  readonly #extensions: Extensions
  /** Of passes; the request's own, with a reason of ours. */
  readonly #interruption: AbortSignal
  #world: DaemonWorld
  #running = 0
  #last: PassReport | undefined

  constructor(
    request: DaemonRequest,
    telling: Telling,
    settings: LoadedSettings['settings'],
    extensions: Extensions,
  ) {
    this.#extensions = extensions
    this.#request = request
    this.#interruption = withReason(request.stop)
    this.#telling = telling
    this.#world = this.#openWorld(settings)
  }

  async run(): Promise<DaemonOutcome> {
    const {once, stop, wakeUp, notifier, version} = this.#request
    const {mode, intervalMs} = this.#settings
    stop.addEventListener('abort', this.#announceStop, {once: true})
    this.#tell({type: 'daemon_started', version, mode, intervalMs: once ? 0 : intervalMs})
    if (!once) notifier.ready()
    try {
      const end = await runLoop({
        clock: systemClock,
        random: Math.random,
        makePass: (pass) => this.#makePass(pass),
        pace: () => this.#settings,
        reload: () => this.#reload(),
        ended: (report) => {
          this.#last = report
          this.#tell({type: 'pass_ended', report})
          notifier.status(this.#telling.scrub(describeStanding(report)))
        },
        progress: () => {
          this.#progress()
        },
        ...{once, wakeUp, stop},
      })
      const left = end.reason === 'stopped' && !end.isDrained ? this.#running : (this.#last?.open.length ?? 0)
      this.#tell({type: 'daemon_stopped', left})
      return {end, left}
    } finally {
      stop.removeEventListener('abort', this.#announceStop)
    }
  }

  #makePass(pass: number): Promise<PassReport> {
    this.#keepSecret()
    return runPass(pass, this.#world.pass, this.#memory)
  }

  /** As it is now: a token may have been replaced. That there is none the pass itself will say. */
  #keepSecret(): void {
    try {
      this.#telling.keepSecret(readToken(this.#world.pass.settings.token, this.#request.env).secret())
    } catch {
      return
    }
  }

  get #settings(): LoadedSettings['settings']['daemon'] {
    return this.#world.pass.settings.daemon
  }

  readonly #announceStop = (): void => {
    const {notifier, stop} = this.#request
    notifier.stopping()
    this.#tell({type: 'daemon_stopping', reason: String(stop.reason), running: this.#running})
  }

  readonly #tell = (event: Told): void => {
    if (event.type === 'run' && event.event.type === 'action_started') this.#running++
    if (event.type === 'run' && event.event.type === 'action_ended' && event.event.result.op !== undefined)
      this.#running = Math.max(0, this.#running - 1)
    this.#telling.sink({...event, atMs: systemClock.now()})
    this.#progress()
  }

  #progress(): void {
    this.#telling.noteProgress()
    this.#request.notifier.progress()
  }

  #openWorld(settings: LoadedSettings['settings']): DaemonWorld {
    const {env, once} = this.#request
    // Of one pass it is the pass that fails, and an alert that is told.
    if (!once) checkAccess(settings, env)
    // A pattern that means nothing is refused before anything is begun.
    this.#memory.permissionsOf(settings.daemon)
    return openDaemonWorld({
      ...{settings, env, stop: this.#interruption, extensions: this.#extensions},
      tell: this.#tell,
      observeRequest: (request) => {
        this.#telling.connectionObserver(request)
        this.#progress()
      },
      observeSync: this.#telling.syncObserver,
      progress: () => {
        this.#progress()
      },
    })
  }

  /** Either all of the new settings, or the old ones: never a mixture. */
  async #reload(): Promise<void> {
    const {notifier} = this.#request
    notifier.reloading()
    try {
      const settings = forBackground(await this.#request.loadSettings())
      refuseOtherPlugins(this.#world.pass.settings.plugins.allow, settings.plugins.allow)
      const world = this.#openWorld(settings)
      await this.#telling.reload(settings)
      this.#world = world
      this.#memory.forgetBackOffs()
      const {mode, intervalMs} = settings.daemon
      this.#tell({type: 'settings_reloaded', mode, intervalMs})
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#tell({type: 'settings_refused', message})
    }
    notifier.ready()
  }
}

/** Nobody waits for a pass: unless somebody has set it otherwise, it leaves most of Proxmox's workers to others. */
const BACKGROUND_READS = 2

function forBackground({settings, entries}: LoadedSettings): LoadedSettings['settings'] {
  if (entries.get('limits.reads')?.origin.from !== 'default') return settings
  return {...settings, limits: {...settings.limits, reads: BACKGROUND_READS}}
}
