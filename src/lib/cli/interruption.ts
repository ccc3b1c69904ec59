// Ctrl-C and SIGTERM during an apply. Before anything was sent they end it at once. Afterwards the first asks it to
// start nothing new and to wait for what runs; the second leaves what runs to the journal.
import {FelhomError} from '../model/felhom-error.ts'
import {EXIT} from './exit-codes.ts'
import {onOrderedEnd} from './ordered-end.ts'
import {allowEnd} from './silent-end.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
type Asked = (typeof SIGNALS)[number]

export interface Farewells {
  /** Said when a run is to end: at its first signal, or because something failed that is no part of it. */
  stopping(isAsked: boolean): void
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

  readonly #forget: () => void

  constructor() {
    // No signal: the first that comes afterwards still is the first.
    this.#forget = onOrderedEnd((why) => {
      if (this.#received === undefined) this.#begin(why, false)
    })
    for (const {name, hear} of this.#listeners) process.on(name, hear)
  }

  /** Aborted, with the reason, by what ends it before the run has begun: nothing was sent, and nothing will be. */
  get giveUp(): AbortSignal {
    return this.#giveUp.signal
  }

  /** Aborted by the first signal of the run, or by what ends it without one. */
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
    this.#forget()
  }

  #hear(name: Asked): void {
    if (this.#received === undefined) {
      this.#received = name
      const doubt = 'Nothing was changed.'
      this.#begin(new FelhomError('interrupted', 'interrupted before anything was sent', {doubt}), true)
    } else {
      this.#farewells?.leaving()
      // At once means at once: nothing that is still to be awaited may hold it up.
      allowEnd()
      process.exit(name === 'SIGINT' ? EXIT.interrupted : EXIT.terminated)
    }
  }

  #begin(why: FelhomError, isAsked: boolean): void {
    if (this.#farewells) {
      this.#farewells.stopping(isAsked)
      this.#stop.abort()
    } else this.#giveUp.abort(why)
  }
}
