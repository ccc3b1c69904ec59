// Everything by which the daemon tells people what they need to know: log, metrics, status, webhook, outcomes of
// jobs. It touches its stream, the address that it listens on, the webhook's, and a file of what was told already.
// Whatever goes wrong here is said in the log; nothing of it is thrown into the loop.
import {hostname} from 'node:os'
import type {Clock} from '../../../engine/ports.ts'
import type {Alert} from '../../../model/daemon.ts'
import type {RequestObserver} from '../../../pve/request-route.ts'
import type {Settings} from '../../../settings/settings.ts'
import type {SyncObserver} from '../../../store/timed-disk.ts'
import {isJournalStream} from './journal-stream.ts'
import {makeLogSink, type LogOptions} from './log-events.ts'
import {makeMetrics} from './metrics.ts'
import type {DaemonSink} from '../ports.ts'
import {makeScrub, secretsOfUrl, type Scrub} from './scrub-secrets.ts'
import {Teller} from './teller.ts'
import {readTellingSettings, type TellingSettings} from './telling-settings.ts'

export type {LogOptions} from './log-events.ts'

export interface TellingOptions {
  readonly settings: Settings
  readonly version: string
  /** Name of this machine; its host name unless told. */
  readonly host?: string
  readonly clock: Clock
  /** Milliseconds on a clock that is never set; the real one unless told. */
  readonly steadyMs?: () => number
  readonly env: NodeJS.ProcessEnv
  readonly log: LogOptions
  /** Values that nothing which is told may repeat: the secret of the API token. */
  readonly secrets?: readonly string[]
  /** False: nothing listens, whatever the settings say; for a single pass beside a daemon. */
  readonly listens?: boolean
  /** Told of each alert, besides log and webhook. */
  readonly onAlert?: (alert: Alert) => void
}

export interface Telling {
  /** Never throws. Alerts are found here, from what each pass reports. */
  readonly sink: DaemonSink
  readonly connectionObserver: RequestObserver
  readonly syncObserver: SyncObserver
  /** Says that the loop moves; /healthz goes by it. Events are progress too. */
  noteProgress(): void
  /** From now on nothing that is told repeats it. */
  readonly keepSecret: (secret: string) => void
  /** For what is told by others. */
  readonly scrub: Scrub
  /** Where metrics and status are, if anywhere: `http://127.0.0.1:9610`. */
  readonly address: string | undefined
  /** After SIGHUP. Throws settings_invalid where the new settings cannot be used; the old ones are then in force. */
  reload(settings: Settings): Promise<void>
  /** Sends what is to be sent, within a limit, and stops listening. Never throws. */
  close(): Promise<void>
}

/** Throws settings_invalid where it may not or cannot listen, or a token file cannot be read. */
export async function openTelling(options: TellingOptions): Promise<Telling> {
  const {version, clock, log, env, listens = true} = options
  const read = (settings: Settings): TellingSettings => readTellingSettings(settings, listens)
  const settings = read(options.settings)
  const secrets = new Set(options.secrets)
  let inForce = settings
  let scrub = makeScrubOf(secrets, settings)
  const isJournal = log.isJournal ?? (log.format === 'json' && isJournalStream(env, log.stream))
  const [logger, metrics] = await Promise.all([
    makeLogSink({...log, isJournal}, (text) => scrub(text)),
    makeMetrics({version, nowMs: () => clock.now()}),
  ])
  const host = options.host ?? hostname()
  const teller = new Teller({
    ...{version, host, clock, metrics, log: logger, settings},
    steadyMs: options.steadyMs ?? (() => performance.now()),
    ...(options.onAlert && {onAlert: options.onAlert}),
    scrub: (text) => scrub(text),
  })
  await teller.open()
  return {
    sink: (event) => {
      teller.tell(event)
    },
    connectionObserver: (request) => {
      teller.safely('metrics', () => {
        metrics.observeRequest(request)
      })
    },
    syncObserver: (ms) => {
      teller.safely('metrics', () => {
        metrics.observeSync(ms)
      })
    },
    noteProgress: () => {
      teller.noteProgress()
    },
    keepSecret: (secret) => {
      if (secrets.has(secret)) return
      secrets.add(secret)
      scrub = makeScrubOf(secrets, inForce)
    },
    scrub: (text) => scrub(text),
    get address() {
      return teller.address
    },
    reload: async (next) => {
      const changed = read(next)
      await teller.reload(changed)
      inForce = changed
      scrub = makeScrubOf(secrets, changed)
    },
    close: () => teller.close(),
  }
}

function makeScrubOf(secrets: ReadonlySet<string>, {server, webhook}: TellingSettings): Scrub {
  const ofUrl = webhook ? secretsOfUrl(webhook.url) : []
  return makeScrub([...secrets, server?.token ?? '', webhook?.token ?? '', ...ofUrl])
}
