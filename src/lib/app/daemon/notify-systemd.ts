// Tells systemd how the daemon is, one message at a time. What systemd must know is kept until it has arrived; whatever
// goes wrong with that is no reason to stop working.
import type {Notifier} from './ports.ts'
import {runSystemdNotify} from './run-systemd-notify.ts'

/** Often, so that all but this of the watchdog's time may pass in silence; a process each, so not more often. */
const FEED_EVERY_MS = 10_000
/** Of a shorter watchdog, so that one late child does no harm. */
const SHARE = 4
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 60_000
const LONGEST_STATUS = 400

const SILENT: Notifier = {
  ready: () => undefined,
  status: () => undefined,
  progress: () => undefined,
  reloading: () => undefined,
  stopping: () => undefined,
}

/** What the notifier asks of the world; the real one unless a test has another. */
export interface NotifierWorld {
  readonly send: (words: readonly string[], end: (hasArrived: boolean) => void) => void
  /** On a clock that is never set. */
  readonly nowMs: () => number
  /** Keeps nobody from ending. */
  readonly later: (ms: number, work: () => void) => void
}

/** Without NOTIFY_SOCKET nobody listens. */
export const makeNotifier = (env: NodeJS.ProcessEnv, world: Partial<NotifierWorld> = {}): Notifier =>
  env['NOTIFY_SOCKET'] ? new SystemdNotifier(env, {...realWorld(env), ...world}) : SILENT

function realWorld(env: NodeJS.ProcessEnv): NotifierWorld {
  // What the child needs to find itself and systemd, and no secret of ours.
  const own = {PATH: env['PATH'], NOTIFY_SOCKET: env['NOTIFY_SOCKET']}
  return {
    send: (words, end) => runSystemdNotify(words, own, end),
    nowMs: () => performance.now(),
    later: (ms, work) => {
      setTimeout(work, ms).unref()
    },
  }
}

type State = 'ready' | 'reloading' | 'stopping'

interface Message {
  readonly state: State | undefined
  readonly status: string | undefined
  readonly isFood: boolean
}

class SystemdNotifier implements Notifier {
  readonly #world: NotifierWorld
  /** Absent: there is no watchdog. */
  readonly #feedEveryMs: number | undefined
  /** In their order, because the last one holds; of the others what is newest is enough. */
  readonly #states: State[] = []
  #status: string | undefined
  #isFed = false
  #isBusy = false
  #fedAtMs = -Infinity
  #failures = 0
  #willRetry = false

  constructor(env: NodeJS.ProcessEnv, world: NotifierWorld) {
    this.#world = world
    const watchdogMs = Number(env['WATCHDOG_USEC']) / 1000
    this.#feedEveryMs = watchdogMs > 0 ? Math.min(FEED_EVERY_MS, watchdogMs / SHARE) : undefined
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
    if (everyMs === undefined || this.#world.nowMs() - this.#fedAtMs < everyMs) return
    this.#fedAtMs = this.#world.nowMs()
    this.#isFed = true
    this.#send()
  }

  #change(state: State): void {
    this.#states.push(state)
    this.#send()
  }

  #send(): void {
    if (this.#isBusy) return
    const message = {state: this.#states.shift(), status: this.#status, isFood: this.#isFed}
    this.#status = undefined
    this.#isFed = false
    const words = wordsOf(message)
    if (words.length === 0) return
    this.#isBusy = true
    this.#world.send(words, (hasArrived) => {
      this.#isBusy = false
      if (hasArrived) this.#goOn()
      else this.#keep(message)
    })
  }

  #goOn(): void {
    this.#failures = 0
    this.#send()
  }

  #keep({state, status, isFood}: Message): void {
    // Whoever stops has no more to say than that.
    const isMoot = this.#states.includes('stopping')
    if (state !== undefined && !isMoot) this.#states.unshift(state)
    this.#status ??= status
    // With a later step of the loop, and by nothing else: no progress, no food.
    if (isFood || this.#isFed) this.#fedAtMs = this.#world.nowMs() - (this.#feedEveryMs ?? 0) + FIRST_RETRY_MS
    this.#isFed = false
    this.#retry()
  }

  #retry(): void {
    if (this.#willRetry) return
    this.#willRetry = true
    this.#failures += 1
    this.#world.later(
      Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.#failures - 1, 30)),
      () => {
        this.#willRetry = false
        this.#send()
      },
    )
  }
}

const wordsOf = ({state, status, isFood}: Message): string[] => [
  ...(state === undefined ? [] : wordsOfState(state)),
  ...(status === undefined ? [] : [`STATUS=${status}`]),
  ...(isFood ? ['WATCHDOG=1'] : []),
]

function wordsOfState(state: State): string[] {
  if (state === 'ready') return ['READY=1']
  if (state === 'stopping') return ['STOPPING=1']
  // systemd wants to know when, on the clock that knows no jumps.
  return ['RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`]
}
