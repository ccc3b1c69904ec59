// Ctrl-C and SIGTERM during an apply. Before anything was sent they end it at once. Afterwards the first asks it to
// start nothing new and to wait for what runs; the second leaves what runs to the journal.
import {FelhomError} from '../model/felhom-error.ts'
import {EXIT} from './exit-codes.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
type Asked = (typeof SIGNALS)[number]

export interface Farewells {
  /** Said at the first signal of a run. */
  stopping(): void
  /** Said at the second, right before the process ends. */
  leaving(): void
}

export class Interruption {
  readonly #giveUp = new AbortController()
  readonly #stop = new AbortController()
  #farewells: Farewells | undefined
  #received: Asked | undefined
  readonly #listeners = SIGNALS.map((name) => ({
    name,
    hear: () => {
      this.#hear(name)
    },
  }))

  constructor() {
    for (const {name, hear} of this.#listeners) process.on(name, hear)
  }

  /** Aborted by a signal that comes before the run has begun: nothing was sent, and nothing will be. */
  get giveUp(): AbortSignal {
    return this.#giveUp.signal
  }

  /** Aborted by the first signal of the run. */
  get stop(): AbortSignal {
    return this.#stop.signal
  }

  /** The exit code of somebody who was asked to end; undefined: nobody asked. */
  get exitCode(): number | undefined {
    if (this.#received === undefined) return undefined
    return this.#received === 'SIGINT' ? EXIT.interrupted : EXIT.terminated
  }

  /** From now on requests may leave. */
  beginRun(farewells: Farewells): void {
    this.#giveUp.signal.throwIfAborted()
    this.#farewells = farewells
  }

  dispose(): void {
    for (const {name, hear} of this.#listeners) process.off(name, hear)
  }

  #hear(name: Asked): void {
    const isFirst = this.#received === undefined
    this.#received ??= name
    if (isFirst && !this.#farewells) {
      this.#giveUp.abort(
        new FelhomError('interrupted', 'interrupted before anything was sent', {
          doubt: 'Nothing was changed.',
        }),
      )
    } else if (isFirst) {
      this.#farewells?.stopping()
      this.#stop.abort()
    } else {
      this.#farewells?.leaving()
      // At once means at once: nothing that is still to be awaited may hold it up.
      process.exit(name === 'SIGINT' ? EXIT.interrupted : EXIT.terminated)
    }
  }
}
