// The signals of a daemon: TERM and INT end it once what runs has ended, a second one at once; HUP has it read its
// settings and look again.
import type {WakeUp} from '../app/daemon/wake-up.ts'
import {EXIT} from './exit-codes.ts'
import {onOrderedEnd} from './ordered-end.ts'
import {allowEnd} from './silent-end.ts'

const ENDING = ['SIGTERM', 'SIGINT'] as const

export class DaemonSignals {
  readonly #stop = new AbortController()
  readonly #wakeUp: WakeUp
  #received: (typeof ENDING)[number] | undefined

  readonly #forget: () => void

  constructor(wakeUp: WakeUp) {
    this.#wakeUp = wakeUp
    // No signal: the first that comes afterwards still is the first.
    this.#forget = onOrderedEnd(({code}) => {
      this.#stop.abort(code)
    })
    for (const name of ENDING) process.on(name, this.#end)
    process.on('SIGHUP', this.#look)
  }

  get stop(): AbortSignal {
    return this.#stop.signal
  }

  /** Told to end by systemd it ends well; somebody at a terminal has interrupted it. */
  get exitCode(): number {
    return this.#received === 'SIGINT' ? EXIT.interrupted : EXIT.ok
  }

  dispose(): void {
    for (const name of ENDING) process.off(name, this.#end)
    process.off('SIGHUP', this.#look)
    this.#forget()
  }

  readonly #look = (): void => {
    this.#wakeUp.ring()
  }

  readonly #end = (name: NodeJS.Signals): void => {
    if (this.#received !== undefined) {
      // At once means at once: the journal has what runs.
      allowEnd()
      process.exit(name === 'SIGINT' ? EXIT.interrupted : EXIT.terminated)
    }
    this.#received = name === 'SIGINT' ? 'SIGINT' : 'SIGTERM'
    this.#stop.abort(name)
  }
}
