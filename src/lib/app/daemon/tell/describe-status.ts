// The state of the daemon as /status tells it: all of the last pass but the values of options, since on loopback every
// user of the machine can ask. The shape is that of docs/monitoring.md; new keys may come at any time.
import type {DaemonMode, JobResult, PassReport, SourceStanding, Suspension} from '../../../model/daemon.ts'
import {formatGuestId} from '../../../model/guest.ts'
import type {GuestPlan, PlannedAction} from '../../../model/plan.ts'
import {describeWish} from '../../../report/action-words.ts'
import {encodeResult} from '../../../report/apply-json.ts'
import {countPass} from '../../../report/daemon-pass.ts'
import {SCHEMA_VERSION} from '../../../report/envelope.ts'
import {showExactTime} from '../../../report/journal-times.ts'
import {describeBody} from '../../../report/journal-words.ts'
import type {AlertMemory} from './find-alerts.ts'
import {findDrift} from './guest-matters.ts'

export interface StatusFacts {
  readonly version: string
  readonly host: string
  readonly startedMs: number
  readonly nowMs: number
  readonly mode: DaemonMode
  readonly intervalMs: number
  readonly alerts: AlertMemory
  /** Absent: there was none yet. */
  readonly report?: PassReport
}

export const describeStatus = ({report, ...facts}: StatusFacts): Record<string, unknown> => ({
  schemaVersion: SCHEMA_VERSION,
  version: facts.version,
  host: facts.host,
  at: showExactTime(facts.nowMs),
  startedAt: showExactTime(facts.startedMs),
  mode: facts.mode,
  intervalMs: facts.intervalMs,
  alerts: Object.entries(facts.alerts.open).map(([key, {kind, guest, text, sinceMs}]) => ({
    ...{kind, key, guest: guest ? formatGuestId(guest) : null, text, since: showExactTime(sinceMs)},
  })),
  lastPass: report ? describeReport(report) : null,
})

function describeReport(report: PassReport): Record<string, unknown> {
  const {pass, startedMs, endedMs, permission, problem, plan, results, open, disarmed, backOffs, trust} =
    report
  return {
    ...{pass, startedAt: showExactTime(startedMs), endedAt: showExactTime(endedMs)},
    ...{durationMs: endedMs - startedMs, permission, problem: problem ?? null},
    source: report.source ? describeSource(report.source) : null,
    counts: countPass(report),
    guests: (plan?.guests ?? []).map(describeGuest),
    problems: (plan?.problems ?? []).map(({code, severity, message}) => ({code, severity, message})),
    drifted: findDrift(report).map(({guest}) => formatGuestId(guest)),
    results: results.map(encodeResult),
    jobs: report.jobs.map(describeJob),
    open: open.map(({intent, state, upid, sinceMs, reason}) => ({
      ...{op: intent.op, guest: formatGuestId(intent.target), node: intent.target.node},
      ...{action: describeBody(intent.body), state, task: upid ?? null, reason: reason ?? null},
      since: showExactTime(sinceMs),
    })),
    disarmed,
    suspensions: report.suspensions.map(describeSuspension),
    backOffs: backOffs.map(({guest, failures, untilMs}) => ({
      ...{guest: formatGuestId(guest), failures, until: showExactTime(untilMs)},
    })),
    trust: trust ? {version: trust.version, expires: showExactTime(trust.expiresMs)} : null,
  }
}

function describeSource(source: SourceStanding): Record<string, unknown> {
  const {kind, place, state, revision, goodAtMs, problem, refusedRevision} = source
  return {
    ...{kind, place, state, revision: revision ?? null, problem: problem ?? null},
    goodAt: goodAtMs === undefined ? null : showExactTime(goodAtMs),
    refusedRevision: refusedRevision ?? null,
  }
}

const describeGuest = ({kind, vmid, name, node, actions, problems}: GuestPlan): Record<string, unknown> => ({
  ...{guest: formatGuestId({kind, vmid}), name: name ?? null, node: node ?? null},
  actions: actions.map(describeAction),
  problems: problems.map(({code, severity, message}) => ({code, severity, message})),
})

const describeAction = (action: PlannedAction): Record<string, unknown> => ({
  ...{action: action.type, what: describeWish(action), class: action.class, impact: action.impact},
  blockers: action.blockers.map(({code, message}) => ({code, message})),
})

export const describeJob = ({
  nonce,
  op,
  guest,
  outcome,
  refusal,
  detail,
  operation,
}: JobResult): Record<string, unknown> => ({
  ...{nonce, op, guest: guest ? formatGuestId(guest) : null, outcome, refusal: refusal ?? null},
  ...{detail: detail ?? null, operation: operation ?? null},
})

const describeSuspension = ({vmid, sinceMs, untilMs, reason, by}: Suspension): Record<string, unknown> => ({
  ...{vmid, since: showExactTime(sinceMs), by, reason: reason ?? null},
  until: untilMs === undefined ? null : showExactTime(untilMs),
})
