// Tells systemd how the daemon is, through `systemd-notify`: Node has no datagram sockets of the file system. What it
// is told last wins, one child at a time; whatever goes wrong with that is no reason to stop working.
import {spawn} from 'node:child_process'
import type {Notifier} from './ports.ts'

/** Half of what the watchdog allows, so that one late child does no harm. */
const SHARE = 2
const CHILD_TIMEOUT_MS = 10_000

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

class SystemdNotifier implements Notifier {
  readonly #env: NodeJS.ProcessEnv
  readonly #feedEveryMs: number
  readonly #waiting: string[][] = []
  #isBusy = false
  #fedAtMs = -Infinity

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env
    const watchdogUsec = Number(env['WATCHDOG_USEC'])
    this.#feedEveryMs = watchdogUsec > 0 ? watchdogUsec / 1000 / SHARE : Infinity
  }

  ready(): void {
    this.#send(['READY=1'])
  }

  status(text: string): void {
    this.#send([`STATUS=${text.replaceAll(/\p{Cc}/gu, ' ').slice(0, 400)}`])
  }

  progress(): void {
    const nowMs = performance.now()
    if (nowMs - this.#fedAtMs < this.#feedEveryMs) return
    this.#fedAtMs = nowMs
    this.#send(['WATCHDOG=1'])
  }

  reloading(): void {
    // systemd wants to know when, on the clock that knows no jumps.
    const usec = process.hrtime.bigint() / 1000n
    this.#send(['RELOADING=1', `MONOTONIC_USEC=${usec}`])
  }

  stopping(): void {
    this.#send(['STOPPING=1'])
  }

  #send(words: string[]): void {
    this.#waiting.push(words)
    if (!this.#isBusy) this.#next()
  }

  #next(): void {
    const words = this.#waiting.shift()
    this.#isBusy = words !== undefined
    if (!words) return
    const child = spawn('systemd-notify', [`--pid=${process.pid}`, ...words], {
      env: this.#env,
      stdio: 'ignore',
      timeout: CHILD_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    const goOn = (): void => {
      child.removeAllListeners()
      child.on('error', () => undefined)
      this.#next()
    }
    child.once('error', goOn)
    child.once('close', goOn)
    child.unref()
  }
}
