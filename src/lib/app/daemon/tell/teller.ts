// Hands each event to all who tell it, finds what has begun and what is over, and keeps what was told. One of them
// that fails keeps no other from it.
import type {Clock} from '../../../engine/ports.ts'
import type {Alert, DaemonEvent, PassReport} from '../../../model/daemon.ts'
import {plural} from '../../../report/plural.ts'
import {describeStatus} from './describe-status.ts'
import {findAlerts, type AlertMemory} from './find-alerts.ts'
import {HealthWatch, type Health, type Moment} from './health.ts'
import {loadAlerts, saveAlerts} from './keep-alerts.ts'
import {Listening} from './listening.ts'
import type {Log} from './log-events.ts'
import type {Metrics} from './metrics.ts'
import {writeOutcome} from './outcome-files.ts'
import {Patience} from './patience.ts'
import type {Scrub} from './scrub-secrets.ts'
import {jsonAnswer, startStatusServer, type Answer} from './status-server.ts'
import type {TellingSettings} from './telling-settings.ts'
import {Webhook, type PendingAlert} from './webhook.ts'

export interface TellerParts {
  readonly version: string
  readonly host: string
  readonly clock: Clock
  /** Milliseconds on a clock that is never set. */
  readonly steadyMs: () => number
  readonly log: Log
  readonly metrics: Metrics
  readonly scrub: Scrub
  readonly settings: TellingSettings
  readonly onAlert?: (alert: Alert) => void
}

/** How long the end of the daemon waits for the webhook. */
const DRAIN_MS = 10_000

export class Teller {
  readonly #parts: TellerParts
  readonly #health: HealthWatch
  readonly #patience = new Patience()
  readonly #startedMs: number
  #settings: TellingSettings
  #memory: AlertMemory
  readonly #listening: Listening
  #webhook: Webhook | undefined
  #report: PassReport | undefined
  #isStopping = false

  constructor(parts: TellerParts) {
    this.#parts = parts
    this.#settings = parts.settings
    this.#startedMs = parts.clock.now()
    this.#health = new HealthWatch(parts.settings.health, this.#now())
    const {memory, pending} = loadAlerts(parts.settings.memory, this.#warn)
    this.#memory = memory
    this.#webhook = this.#makeWebhook(parts.settings, pending)
    this.#listening = new Listening({
      start: (server) => startStatusServer({...server, pages: this.#pages(), warn: this.#warn}),
      clock: parts.clock,
      warn: this.#warn,
    })
  }

  get address(): string | undefined {
    return this.#listening.address
  }

  /** Throws where it may not listen as the settings want it; all that has begun here has ended then. */
  async open(): Promise<void> {
    try {
      await this.#listening.open(this.#settings.server)
    } catch (error) {
      await this.close(0)
      throw error
    }
  }

  tell(event: DaemonEvent): void {
    const {log, metrics} = this.#parts
    this.noteProgress()
    this.safely('log', () => {
      log.sink(event)
    })
    this.safely('metrics', () => {
      metrics.note(event)
    })
    this.safely('health', () => {
      this.#health.note(event, this.#now())
    })
    if (event.type === 'daemon_stopping') this.#isStopping = true
    if (event.type === 'alert') {
      this.#webhook?.post(event.alert, event.atMs)
      this.#parts.onAlert?.(event.alert)
    }
    if (event.type === 'job_ended') this.#keepOutcome(event)
    if (event.type === 'pass_ended') this.#endPass(event.report, event.atMs)
  }

  noteProgress(): void {
    this.#health.noteProgress(this.#now())
  }

  #now(): Moment {
    const {clock, steadyMs} = this.#parts
    return {wallMs: clock.now(), steadyMs: steadyMs()}
  }

  /** The loop must not learn of it. */
  safely(what: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      if (what !== 'log') this.#warn(`${what}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  async reload(next: TellingSettings): Promise<void> {
    await this.#listening.change(next.server)
    if (JSON.stringify(next.webhook) !== JSON.stringify(this.#settings.webhook)) {
      await this.#webhook?.close(0)
      this.#webhook = this.#makeWebhook(next, this.#webhook?.pending() ?? [])
    }
    this.#health.limits = next.health
    this.#settings = next
  }

  async close(drainMs = DRAIN_MS): Promise<void> {
    await this.#listening.close()
    await this.#webhook?.close(drainMs)
    const left = this.#webhook?.pending().length ?? 0
    if (left > 0)
      this.#warn(`the webhook has not taken ${plural(left, 'alert')}: sent again at the next start`)
    if (this.#webhook) this.#save()
    this.#parts.log.close()
  }

  #endPass(report: PassReport, atMs: number): void {
    this.#report = report
    this.safely('alerts', () => {
      if (this.#patience.excuses(report, this.#parts.steadyMs(), this.#isStopping)) return
      const before = this.#memory
      const {alerts, memory, untold} = findAlerts(before, report, this.#settings.alerts)
      this.#memory = memory
      for (const alert of alerts)
        this.tell({type: 'alert', atMs, alert: {...alert, text: this.#parts.scrub(alert.text)}})
      if (untold > 0) this.#warn(`${plural(untold, 'alert')} to be told later: too many are open`)
      if (alerts.length > 0 || memory.neverGoodSinceMs !== before.neverGoodSinceMs) this.#save()
    })
  }

  #keepOutcome({job, atMs}: Extract<DaemonEvent, {type: 'job_ended'}>): void {
    const {outcomes} = this.#settings
    if (outcomes === undefined) return
    this.safely(`the outcome of job ${job.nonce}`, () => {
      writeOutcome(outcomes, job, atMs, this.#warn)
    })
  }

  #save(): void {
    this.safely('what was told cannot be kept', () => {
      const kept = {memory: this.#memory, pending: this.#webhook?.pending() ?? []}
      saveAlerts(this.#settings.memory, kept, this.#parts.scrub)
    })
  }

  /** Goes to the log alone. */
  readonly #warn = (text: string): void => {
    const {log, clock} = this.#parts
    this.safely('log', () => {
      log.sink({type: 'warning', atMs: clock.now(), text})
    })
  }

  #makeWebhook({webhook}: TellingSettings, pending: readonly PendingAlert[]): Webhook | undefined {
    const {host, version, clock, metrics} = this.#parts
    if (!webhook && pending.length > 0)
      this.#warn(`no webhook any more: dropped ${plural(pending.length, 'alert')}`)
    if (!webhook) return undefined
    return new Webhook({
      ...{...webhook, host, version, clock, pending},
      warn: this.#warn,
      count: (result) => {
        metrics.countWebhook(result)
      },
      settled: () => {
        // Often enough that a crash repeats little, and what it repeats has the same id.
        if (this.#webhook?.pending().length === 0) this.#save()
      },
    })
  }

  #pages(): Readonly<Record<string, () => Answer | Promise<Answer>>> {
    const {metrics} = this.#parts
    return {
      '/metrics': async () => ({
        status: 200,
        type: metrics.registry.contentType,
        text: await metrics.registry.metrics(),
      }),
      '/healthz': () => this.#answerHealth(this.#health.alive(this.#now())),
      '/readyz': () => this.#answerHealth(this.#health.ready(this.#now())),
      '/status': () => this.#answerJson(200, this.#describe()),
    }
  }

  #answerHealth(health: Health): Answer {
    return this.#answerJson(health.ok ? 200 : 503, health)
  }

  #answerJson(status: number, value: unknown): Answer {
    const answer = jsonAnswer(status, value)
    return {...answer, text: this.#parts.scrub(answer.text)}
  }

  #describe(): Record<string, unknown> {
    const {version, host, clock} = this.#parts
    const {mode, health} = this.#settings
    return describeStatus({
      ...{version, host, startedMs: this.#startedMs, nowMs: clock.now(), mode},
      ...{intervalMs: health.intervalMs, alerts: this.#memory},
      ...(this.#report && {report: this.#report}),
    })
  }
}
