// Numbers of the daemon in the exposition format of Prometheus, in a registry of their own. Labels are bounded: calls
// by route and not by guest, and of guests only those that differ from the desired state. METRICS is what the
// documentation is checked against.
import type {Gauge, Registry} from 'prom-client'
import type {DaemonEvent, PassReport} from '../../../model/daemon.ts'
import {formatGuestId} from '../../../model/guest.ts'
import type {ActionOutcome, RunEvent} from '../../../model/run-event.ts'
import {countPass, resultOf} from '../../../report/daemon-pass.ts'
import type {RequestObserver} from '../../../pve/request-route.ts'
import type {SyncObserver} from '../../../store/timed-disk.ts'
import {findDrift} from './guest-matters.ts'
import {measureProcess} from './measure-process.ts'
import {makeInstruments, type Instruments} from './metric-table.ts'

export interface MetricsOptions {
  readonly version: string
  readonly nowMs: () => number
}

export interface Metrics {
  readonly registry: Registry
  note(event: DaemonEvent): void
  readonly observeRequest: RequestObserver
  readonly observeSync: SyncObserver
  countWebhook(result: 'delivered' | 'refused' | 'given_up' | 'dropped'): void
}

/** More would be a burden to who stores them; felhom_guests has the exact number. */
export const MOST_DRIFTING = 1000

export async function makeMetrics({version, nowMs}: MetricsOptions): Promise<Metrics> {
  const client = await import('prom-client')
  const registry = new client.Registry()
  let goodAtMs: number | undefined
  const m: Instruments = makeInstruments(client, registry, {
    // It grows between passes too.
    sourceAge: () => {
      if (goodAtMs === undefined) m.sourceAge.remove()
      else m.sourceAge.set(Math.max(0, nowMs() - goodAtMs) / 1000)
    },
  })
  measureProcess(client, registry)
  // Nothing is known of these yet, and 0 would be 1970.
  for (const each of [m.lastPass, m.lastGoodPass, m.trustExpiry]) each.remove()
  m.buildInfo.set({version, node: process.version}, 1)
  const flying = new Set<string>()
  return {
    registry,
    note: (event) => {
      if (event.type === 'run') noteRun(m, flying, event.event)
      else if (event.type === 'alert') m.alerts.inc({kind: event.alert.kind, state: event.alert.state})
      else if (event.type === 'pass_ended') {
        notePass(m, event.report)
        goodAtMs = latestGood(event.report, goodAtMs)
        flying.clear()
        for (const {intent, state} of event.report.open) if (state !== 'quarantined') flying.add(intent.op)
      }
    },
    observeRequest: ({method, route, errorCode, ms}) => {
      m.requests.observe({method, route}, ms / 1000)
      if (errorCode !== undefined) m.requestErrors.inc({code: errorCode})
    },
    observeSync: (ms) => {
      m.syncs.observe(ms / 1000)
    },
    countWebhook: (result) => {
      m.webhook.inc({result})
    },
  }
}

/** Not tried: it would count again in every pass. */
const IDLE: readonly ActionOutcome[] = ['blocked', 'frozen', 'skipped', 'not_started']

function noteRun(m: Instruments, flying: Set<string>, event: RunEvent): void {
  if (event.type === 'action_started') flying.add(event.op)
  else if (event.type === 'action_ended') {
    const {action, outcome, op} = event.result
    if (!IDLE.includes(outcome)) m.actions.inc({kind: action.type, outcome})
    if (outcome !== 'in_flight') flying.delete(op ?? '')
  } else return
  m.inFlight.set(flying.size)
}

function notePass(m: Instruments, report: PassReport): void {
  const {startedMs, endedMs, problem, plan, trust} = report
  m.passes.inc({result: resultOf(report)})
  m.passDuration.observe(Math.max(0, endedMs - startedMs) / 1000)
  m.lastPass.set(endedMs / 1000)
  if (problem === undefined) m.lastGoodPass.set(endedMs / 1000)
  setOne(m.mode, 'mode', ['observe', 'benign', 'full'], report.mode)
  setOne(m.permission, 'permission', ['observe', 'live', 'benign', 'full'], report.permission)
  // A pass that failed early knows nothing of these: they stay what they were.
  if (problem === undefined || plan !== undefined) noteState(m, report)
  if (trust) m.trustExpiry.set(trust.expiresMs / 1000)
  else if (problem === undefined) m.trustExpiry.remove()
}

function noteState(m: Instruments, report: PassReport): void {
  const {inFlight, quarantined, pendingSignatures, unchanged, unmanaged} = countPass(report)
  const drifting = findDrift(report)
  m.inFlight.set(inFlight)
  m.quarantined.set(quarantined)
  m.pendingSignatures.set(pendingSignatures)
  m.backingOff.set(report.backOffs.length)
  m.disarmed.set(report.disarmed.length > 0 ? 1 : 0)
  m.suspended.set({scope: 'all'}, report.suspensions.some(({vmid}) => vmid === 'all') ? 1 : 0)
  m.suspended.set({scope: 'guests'}, report.suspensions.filter(({vmid}) => vmid !== 'all').length)
  const managed = unchanged + (report.plan?.guests.length ?? 0)
  for (const [state, count] of Object.entries({managed, unmanaged, unchanged, drifted: drifting.length}))
    m.guests.set({state}, count)
  const problems = [
    ...(report.plan?.problems ?? []),
    ...(report.plan?.guests ?? []).flatMap((guest) => guest.problems),
  ]
  for (const severity of ['error', 'warning'] as const)
    m.planProblems.set({severity}, problems.filter((problem) => problem.severity === severity).length)
  m.drift.reset()
  for (const {guest, actions} of drifting.slice(0, MOST_DRIFTING))
    for (const {class: of} of actions) m.drift.inc({guest: formatGuestId(guest), class: of})
  if (!report.source) return
  if (report.source.kind !== 'none')
    setOne(m.sourceState, 'state', ['fresh', 'away', 'refused'], report.source.state)
  else m.sourceState.reset()
}

function setOne<L extends string>(gauge: Gauge<L>, label: L, values: readonly string[], value: string): void {
  for (const each of values) gauge.set({[label]: each} as Record<L, string>, each === value ? 1 : 0)
}

/** A pass that failed before the source was asked knows nothing of it. */
const latestGood = ({source}: PassReport, before: number | undefined): number | undefined =>
  source ? source.goodAtMs : before
