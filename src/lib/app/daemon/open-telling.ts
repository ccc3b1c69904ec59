// Everything by which the daemon tells people what they need to know: log, metrics, status, webhook, outcomes of
// jobs. It touches its stream, the address that it listens on, the webhook's, and a file of what was told already.
// Whatever goes wrong here is said in the log; nothing of it is thrown into the loop.
import type {Clock} from '../../engine/ports.ts'
import type {RequestObserver} from '../../pve/request-route.ts'
import type {Palette} from '../../report/palette.ts'
import type {Settings} from '../../settings/settings.ts'
import type {SyncObserver} from '../../store/timed-disk.ts'
import type {DaemonSink} from './ports.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface LogOptions {
  /** Usually stderr. */
  readonly stream: NodeJS.WritableStream
  /** `json`: for journald and machines. `pretty`: for a terminal. */
  readonly format: 'json' | 'pretty'
  readonly level?: LogLevel
  /** Of `pretty`. */
  readonly palette?: Palette
  /** Cells of a line of `pretty`. */
  readonly width?: number
}

export interface TellingOptions {
  readonly settings: Settings
  readonly version: string
  /** Name of this machine; its host name unless told. */
  readonly host?: string
  readonly clock: Clock
  readonly env: NodeJS.ProcessEnv
  readonly log: LogOptions
  /** Values that nothing which is told may repeat: the secret of the API token. */
  readonly secrets?: readonly string[]
}

export interface Telling {
  /** Never throws. Alerts are found here, from what each pass reports. */
  readonly sink: DaemonSink
  readonly connectionObserver: RequestObserver
  readonly syncObserver: SyncObserver
  /** Says that the loop moves; /healthz goes by it. Events are progress too. */
  noteProgress(): void
  /** Where metrics and status are, if anywhere: `http://127.0.0.1:9610`. */
  readonly address: string | undefined
  /** After SIGHUP. Throws settings_invalid where the new settings cannot be used; the old ones are then in force. */
  reload(settings: Settings): Promise<void>
  /** Sends what is to be sent, within a limit, and stops listening. Never throws. */
  close(): Promise<void>
}

/** Throws settings_invalid where it may not or cannot listen, or a token file cannot be read. */
// eslint-disable-next-line @typescript-eslint/require-await
export async function openTelling(_options: TellingOptions): Promise<Telling> {
  return {
    sink: () => undefined,
    connectionObserver: () => undefined,
    syncObserver: () => undefined,
    noteProgress: () => undefined,
    address: undefined,
    reload: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
