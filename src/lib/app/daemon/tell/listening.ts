// Keeps the status server where the settings want it. What keeps it from listening may pass: an address that comes up
// after the daemon at boot, a port that another is about to leave. The guests do not wait for that; it is tried again.
import type {Clock} from '../../../engine/ports.ts'
import {FelhomError} from '../../../model/felhom-error.ts'
import {readListenAddress} from './listen-address.ts'
import type {StatusServer} from './status-server.ts'
import type {TellingSettings} from './telling-settings.ts'

export type ServerSettings = NonNullable<TellingSettings['server']>

export interface ListeningParts {
  /** Throws settings_invalid. */
  readonly start: (settings: ServerSettings) => Promise<StatusServer>
  readonly clock: Clock
  readonly warn: (text: string) => void
}

const RETRY_MS = 10_000
const PASSING = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EAI_AGAIN', 'ENOTFOUND']

export class Listening {
  readonly #parts: ListeningParts
  #wanted: ServerSettings | undefined
  #server: StatusServer | undefined
  /** Aborted: it is no longer tried. */
  #trying = new AbortController()

  constructor(parts: ListeningParts) {
    this.#parts = parts
  }

  get address(): string | undefined {
    return this.#server?.address
  }

  /** Throws where the settings cannot be used, whatever happens on this machine. */
  async open(wanted: ServerSettings | undefined): Promise<void> {
    this.#wanted = wanted
    if (!wanted) return
    try {
      this.#server = await this.#parts.start(wanted)
    } catch (error) {
      if (!isPassing(error)) throw error
      this.#parts.warn(`${error.message}; it is tried again every ${RETRY_MS / 1000} s`)
      void this.#keepTrying(wanted)
    }
  }

  /** Throws where the new settings cannot be used now; the old ones are then in force. */
  async change(next: ServerSettings | undefined): Promise<void> {
    const before = this.#wanted
    if (JSON.stringify(next) === JSON.stringify(before)) return
    this.#trying.abort()
    if (!this.#server || mustLetGo(before, next)) return this.#replace(before, next)
    const server = next && (await this.#parts.start(next))
    await this.#server.close()
    this.#server = server
    this.#wanted = next
  }

  async close(): Promise<void> {
    this.#trying.abort()
    await this.#server?.close()
    this.#server = undefined
  }

  /** One must let go of the port before the other can have it. */
  async #replace(before: ServerSettings | undefined, next: ServerSettings | undefined): Promise<void> {
    await this.close()
    try {
      this.#server = next && (await this.#parts.start(next))
      this.#wanted = next
    } catch (error) {
      await this.open(before)
      throw error
    }
  }

  async #keepTrying(wanted: ServerSettings): Promise<void> {
    const trying = new AbortController()
    this.#trying = trying
    const {clock, start, warn} = this.#parts
    try {
      for (;;) {
        await clock.sleep(RETRY_MS, trying.signal)
        const server = await start(wanted).catch(orUndefined)
        if (!server) continue
        if (trying.signal.aborted) {
          await server.close()
          return
        }
        this.#server = server
        warn(`listens on ${wanted.listen} now`)
        return
      }
    } catch (error) {
      if (!trying.signal.aborted) warn(`${(error as Error).message}; it is not tried again`)
    }
  }
}

/** Of the same port, on whichever addresses. */
function mustLetGo(before: ServerSettings | undefined, next: ServerSettings | undefined): boolean {
  if (!before || !next) return false
  if (before.listen === next.listen) return true
  const {port} = readListenAddress(before.listen)
  return port !== 0 && port === readListenAddress(next.listen).port
}

const isPassing = (error: unknown): error is FelhomError =>
  error instanceof FelhomError &&
  PASSING.includes((error.cause as NodeJS.ErrnoException | undefined)?.code ?? '')

function orUndefined(error: unknown): undefined {
  if (!isPassing(error)) throw error
}
