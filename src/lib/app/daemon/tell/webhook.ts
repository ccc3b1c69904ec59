// Alerts, posted as JSON to one address, in their order and one at a time. What does not arrive is tried again with
// growing pauses until it is too old; the queue is bounded. Nobody waits for any of it, but whoever ends the daemon, and
// he not for long.
import {randomUUID} from 'node:crypto'
import type {Clock} from '../../../engine/ports.ts'
import type {Alert} from '../../../model/daemon.ts'
import {formatGuestId} from '../../../model/guest.ts'
import {showDuration, showExactTime} from '../../../report/journal-times.ts'
import {toJsonText} from '../../../report/json-text.ts'
import {postJson, type PostAnswer} from './post-json.ts'

/** An alert that has not arrived yet. Its id stays the same however often it is sent. */
export interface PendingAlert {
  readonly id: string
  readonly atMs: number
  readonly alert: Alert
}

export type WebhookResult = 'delivered' | 'refused' | 'given_up' | 'dropped'

export interface WebhookOptions {
  readonly url: string
  readonly token?: string
  /** Name of this machine. */
  readonly host: string
  readonly version: string
  readonly clock: Clock
  readonly warn: (text: string) => void
  readonly count?: (result: WebhookResult) => void
  /** The queue has become shorter. */
  readonly settled?: () => void
  /** Left over from an earlier run. */
  readonly pending?: readonly PendingAlert[]
  /** In [0, 1). */
  readonly random?: () => number
  readonly limits?: Partial<typeof WEBHOOK_LIMITS>
  /** Another way of sending, for a test. */
  readonly send?: typeof postJson
}

export const WEBHOOK_LIMITS = {
  timeoutMs: 10_000,
  firstPauseMs: 1_000,
  longestPauseMs: 5 * 60_000,
  longestAskedPauseMs: 60 * 60_000,
  giveUpMs: 24 * 60 * 60_000,
  mostPending: 1000,
}

export const WEBHOOK_VERSION = 1

export class Webhook {
  readonly #options: WebhookOptions
  readonly #limits: typeof WEBHOOK_LIMITS
  readonly #url: URL
  readonly #queue: PendingAlert[]
  /** Ends a pause. */
  readonly #hurry = new AbortController()
  /** Ends a request. */
  readonly #stop = new AbortController()
  #work: Promise<void> | undefined
  #failures = 0
  #dropped = 0

  constructor(options: WebhookOptions) {
    this.#options = options
    this.#limits = {...WEBHOOK_LIMITS, ...options.limits}
    this.#url = new URL(options.url)
    this.#queue = [...(options.pending ?? [])].slice(-this.#limits.mostPending)
    this.#begin()
  }

  post(alert: Alert, atMs: number): void {
    this.#queue.push({id: randomUUID(), atMs, alert})
    if (this.#queue.length > this.#limits.mostPending) this.#drop()
    this.#begin()
  }

  /** What has not arrived yet, oldest first. */
  pending(): readonly PendingAlert[] {
    return [...this.#queue]
  }

  /** Tries each once more without a pause, as long as one arrives after the other and the time is not up. */
  async close(limitMs: number): Promise<void> {
    this.#hurry.abort()
    const over = new AbortController()
    const timeUp = this.#options.clock.sleep(limitMs, over.signal).catch(() => undefined)
    await Promise.race([this.#work ?? Promise.resolve(), timeUp])
    over.abort()
    this.#stop.abort()
    await this.#work
  }

  #begin(): void {
    if (this.#work || this.#queue.length === 0 || this.#isStopped()) return
    this.#work = this.#deliverAll().finally(() => {
      this.#work = undefined
    })
  }

  async #deliverAll(): Promise<void> {
    for (let head = this.#queue[0]; head && !this.#isStopped(); head = this.#queue[0]) {
      const answer = await this.#send(head)
      if (this.#isStopped() && 'problem' in answer) return
      const pauseMs = this.#judge(head, answer)
      if (pauseMs === undefined) continue
      if (this.#hurry.signal.aborted) return
      await this.#options.clock.sleep(pauseMs, this.#hurry.signal).catch(() => undefined)
    }
  }

  /** Whoever ends the daemon waits for this: a request that never ends must not keep him. */
  #send(head: PendingAlert): Promise<PostAnswer> {
    const {send = postJson} = this.#options
    const {signal} = this.#stop
    return new Promise((resolve) => {
      const end = (answer: PostAnswer): void => {
        signal.removeEventListener('abort', stop)
        resolve(answer)
      }
      const stop = (): void => resolve({problem: 'it was told to end'})
      signal.addEventListener('abort', stop, {once: true})
      send(this.#describe(head)).then(end, (error: unknown) =>
        end({problem: error instanceof Error ? error.message : String(error)}),
      )
    })
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted
  }

  /** How long to wait before it is sent again; undefined: it is settled. */
  #judge(head: PendingAlert, answer: PostAnswer): number | undefined {
    if ('status' in answer && answer.status >= 200 && answer.status < 300) {
      this.#failures = 0
      this.#settle('delivered')
      return undefined
    }
    const how = 'status' in answer ? `it answers ${answer.status}` : answer.problem
    if ('status' in answer && !isPassing(answer.status)) {
      this.#warn(`does not take an alert (${how}); it is not sent again: ${head.alert.text}`)
      this.#settle('refused')
      return undefined
    }
    this.#failures += 1
    const pauseMs = this.#choosePause(answer)
    const ageMs = this.#options.clock.now() - head.atMs
    if (ageMs + pauseMs > this.#limits.giveUpMs) {
      this.#warn(
        `has not taken an alert for ${showDuration(ageMs)} (${how}); it is given up: ${head.alert.text}`,
      )
      this.#settle('given_up')
      return pauseMs
    }
    if (this.#failures === 1) this.#warn(`cannot be reached (${how}); it is tried again`)
    return pauseMs
  }

  #settle(result: WebhookResult): void {
    this.#queue.shift()
    this.#options.count?.(result)
    if (result === 'delivered' && this.#dropped > 0) {
      this.#warn(`takes alerts again; ${this.#dropped} were dropped because too many waited`)
      this.#dropped = 0
    }
    this.#options.settled?.()
  }

  /** The oldest that is not under way. */
  #drop(): void {
    this.#queue.splice(this.#work ? 1 : 0, 1)
    if (this.#dropped === 0) this.#warn('has too many alerts waiting; the oldest are dropped')
    this.#dropped += 1
    this.#options.count?.('dropped')
  }

  /** Half of it is left to chance, so that many daemons do not come back together. */
  #choosePause(answer: PostAnswer): number {
    const {firstPauseMs, longestPauseMs, longestAskedPauseMs} = this.#limits
    const full = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(this.#failures - 1, 30))
    const pauseMs = full / 2 + (full / 2) * (this.#options.random ?? Math.random)()
    const asked = 'status' in answer ? readRetryAfter(answer.retryAfter, this.#options.clock.now()) : 0
    return Math.max(pauseMs, Math.min(asked, longestAskedPauseMs))
  }

  #describe({id, atMs, alert}: PendingAlert): Parameters<typeof postJson>[0] {
    const {host, token, version, clock} = this.#options
    const {kind, key, state, guest, text} = alert
    return {
      url: this.#url,
      timeoutMs: this.#limits.timeoutMs,
      signal: this.#stop.signal,
      headers: {
        'user-agent': `felhom/${version}`,
        'idempotency-key': id,
        ...(token !== undefined && {authorization: `Bearer ${token}`}),
      },
      text: toJsonText(
        {
          ...{
            version: WEBHOOK_VERSION,
            id,
            at: showExactTime(atMs),
            sentAt: showExactTime(clock.now()),
            host,
          },
          alert: {kind, key, state, guest: guest ? formatGuestId(guest) : null, text},
        },
        0,
      ),
    }
  }

  /** The path and the query of an address are often a secret: it is named by its host. */
  #warn(text: string): void {
    this.#options.warn(`the webhook at ${this.#url.host} ${text}`)
  }
}

/** Another try may cure it. */
const isPassing = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500

/** Seconds, or a date. */
function readRetryAfter(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs)
}
