// Tells systemd how the daemon is, through `systemd-notify`: Node has no datagram sockets of the file system. One
// child at a time, each bounded; whatever goes wrong with that is no reason to stop working.
import {spawn} from 'node:child_process'
import type {Notifier} from './ports.ts'

/** Half of what the watchdog allows, so that one late child does no harm. */
const SHARE = 2
const CHILD_TIMEOUT_MS = 10_000
const RETRY_MS = 1_000
const LONGEST_STATUS = 400

const SILENT: Notifier = {
  ready: () => undefined,
  status: () => undefined,
  progress: () => undefined,
  reloading: () => undefined,
  stopping: () => undefined,
}

/** Without NOTIFY_SOCKET nobody listens. */
export const makeNotifier = (env: NodeJS.ProcessEnv): Notifier =>
  env['NOTIFY_SOCKET'] ? new SystemdNotifier(env) : SILENT

type State = 'ready' | 'reloading' | 'stopping'

class SystemdNotifier implements Notifier {
  readonly #env: NodeJS.ProcessEnv
  /** Absent: there is no watchdog. */
  readonly #feedEveryMs: number | undefined
  /** In their order, because the last one holds; of the others what is newest is enough. */
  readonly #states: State[] = []
  #status: string | undefined
  #isFed = false
  #isBusy = false
  #fedAtMs = -Infinity

  constructor(env: NodeJS.ProcessEnv) {
    // What the child needs to find itself and systemd, and no secret of ours.
    this.#env = {PATH: env['PATH'], NOTIFY_SOCKET: env['NOTIFY_SOCKET']}
    const watchdogUsec = Number(env['WATCHDOG_USEC'])
    this.#feedEveryMs = watchdogUsec > 0 ? watchdogUsec / 1000 / SHARE : undefined
  }

  ready(): void {
    this.#change('ready')
  }

  reloading(): void {
    this.#change('reloading')
  }

  stopping(): void {
    this.#change('stopping')
  }

  status(text: string): void {
    this.#status = text.replaceAll(/\p{Cc}/gu, ' ').slice(0, LONGEST_STATUS)
    this.#send()
  }

  progress(): void {
    const everyMs = this.#feedEveryMs
    if (everyMs === undefined || performance.now() - this.#fedAtMs < everyMs) return
    this.#fedAtMs = performance.now()
    this.#isFed = true
    this.#send()
  }

  #feedSoon(): void {
    this.#fedAtMs = performance.now() - (this.#feedEveryMs ?? 0) + RETRY_MS
  }

  #change(state: State): void {
    this.#states.push(state)
    this.#send()
  }

  /** The words of one message; none: there is nothing left to tell. */
  #takeWords(): string[] {
    const state = this.#states.shift()
    const words = [
      ...(state === undefined ? [] : wordsOf(state)),
      ...(this.#status === undefined ? [] : [`STATUS=${this.#status}`]),
      ...(this.#isFed ? ['WATCHDOG=1'] : []),
    ]
    this.#status = undefined
    this.#isFed = false
    return words
  }

  #send(): void {
    if (this.#isBusy) return
    const words = this.#takeWords()
    if (words.length === 0) return
    this.#isBusy = true
    const child = spawn('systemd-notify', [`--pid=${process.pid}`, ...words], {
      env: this.#env,
      stdio: 'ignore',
      timeout: CHILD_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    let isOver = false
    const goOn = (hasArrived: boolean): void => {
      if (isOver) return
      isOver = true
      this.#isBusy = false
      // Tried again with a later step of the loop, and by nothing else: no progress, no food.
      if (!hasArrived && words.includes('WATCHDOG=1')) this.#feedSoon()
      this.#send()
    }
    child.on('error', () => {
      goOn(false)
    })
    child.once('close', (code) => {
      goOn(code === 0)
    })
    child.unref()
  }
}

function wordsOf(state: State): string[] {
  if (state === 'ready') return ['READY=1']
  if (state === 'stopping') return ['STOPPING=1']
  // systemd wants to know when, on the clock that knows no jumps.
  return ['RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`]
}
