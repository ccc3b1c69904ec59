// Events of the daemon as lines of a log: how grave, one sentence, and fields for machines. Names of fields are
// stable: docs/monitoring.md lists them. Texts are not escaped here, for JSON and a terminal escape differently.
import type {Alert, AlertKind, DaemonEvent, JobResult, PassReport} from '../model/daemon.ts'
import type {ErrorCode} from '../model/error-codes.ts'
import {formatGuestId, type GuestId} from '../model/guest.ts'
import type {ActionOutcome, ActionResult, RunEvent} from '../model/run-event.ts'
import {describeDoing, describeDone, describeWish} from './action-words.ts'
import {describePass} from './daemon-pass.ts'
import {plural} from './plural.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface LogLine {
  readonly level: LogLevel
  /** One sentence, without a full stop where it is a short one. */
  readonly msg: string
  readonly fields: Readonly<Record<string, unknown>>
  /** The same line again says nothing new for a while; absent: every one does. */
  readonly repeats?: string
}

type EventOf<Type> = Extract<DaemonEvent, {type: Type}>

export function describeDaemonEvent(event: DaemonEvent): LogLine[] {
  switch (event.type) {
    case 'daemon_started':
      return [describeStart(event)]
    case 'daemon_stopping': {
      const {reason, running} = event
      const wait = running === 0 ? '' : `; ${plural(running, 'action')} running`
      return [line('info', `ending: ${reason}${wait}`, {reason, running})]
    }
    case 'daemon_stopped': {
      const {left} = event
      const msg =
        left === 0 ? 'ended' : `ended; ${plural(left, 'operation')} in flight, the next start settles`
      return [line(left === 0 ? 'info' : 'warn', msg, {left})]
    }
    case 'settings_reloaded': {
      const {mode, intervalMs} = event
      return [
        line('info', `settings read again: mode ${mode}, every ${seconds(intervalMs)}`, {mode, intervalMs}),
      ]
    }
    case 'settings_refused':
      return [
        line('error', `the new settings cannot be used, the old ones stay in force: ${event.message}`, {
          reason: event.message,
        }),
      ]
    case 'warning':
      return [{...line('warn', event.text), repeats: `warning:${event.text}`}]
    case 'waiting_for_lock': {
      const {holder} = event
      const msg = `waiting for the lock of the state directory: ${holder}`
      return [{...line('info', msg, {holder}), repeats: `lock:${holder}`}]
    }
    case 'pass_started':
      return [line('debug', `pass ${event.pass} begins`, {pass: event.pass})]
    case 'recovered':
      return event.decisions.map(describeRecovery)
    case 'run':
      return [describeRun(event.event)]
    case 'job_ended':
      return [describeJob(event.job)]
    case 'pass_ended':
      return describePassEnd(event.report)
    case 'alert':
      return [describeAlert(event.alert)]
  }
}

const line = (level: LogLevel, msg: string, fields: LogLine['fields'] = {}): LogLine => ({level, msg, fields})

const seconds = (ms: number): string => `${Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))} s`

function describeStart({version, mode, intervalMs}: EventOf<'daemon_started'>): LogLine {
  const what = {
    observe: 'only observes',
    benign: 'does what loses nothing',
    full: 'does all that is signed for',
  }
  const often = intervalMs === 0 ? 'once' : `every ${seconds(intervalMs)}`
  return line('info', `felhom ${version} ${what[mode]}, ${often}`, {
    version,
    mode,
    intervalMs,
  })
}

function describeRecovery({op, guest, verdict, reason}: EventOf<'recovered'>['decisions'][number]): LogLine {
  const isOpen = verdict === 'wait' || verdict === 'stay'
  const level = verdict === 'quarantine' ? 'warn' : isOpen ? 'debug' : 'info'
  const became = isOpen
    ? 'is still open'
    : verdict === 'quarantine'
      ? 'is quarantined'
      : `is settled as ${verdict}`
  const why = reason === '' ? '' : `: ${reason}`
  return {
    ...line(level, `${formatGuestId(guest)}: an interrupted operation ${became}${why}`, {
      ...{guest: formatGuestId(guest), op, verdict, reason},
    }),
    repeats: `recovered:${op}:${verdict}`,
  }
}

function describeRun(event: RunEvent): LogLine {
  switch (event.type) {
    case 'run_started': {
      const {run, guests, actions} = event
      return line('debug', `${plural(actions, 'action')} of ${plural(guests, 'guest')}`, {
        run,
        guests,
        actions,
      })
    }
    case 'action_started': {
      const {run, guest, node, name, action, op} = event
      const fields = {run, ...guestFields(guest, name, node), action, op}
      return line('debug', `${nameGuest(guest, name)}: ${describeDoing(action)} on ${node}`, fields)
    }
    case 'task_started': {
      const {run, guest, op, upid} = event
      return line('debug', `${formatGuestId(guest)}: task ${upid}`, {
        run,
        guest: formatGuestId(guest),
        op,
        upid,
      })
    }
    case 'action_ended':
      return describeResult(event.result, event.run)
    case 'run_ended':
      return line('debug', 'all actions of the pass have ended', {run: event.run, counts: event.counts})
  }
}

/** What is not here was not tried, and is told as an alert where somebody must know. */
const LEVEL_OF_OUTCOME: Partial<Record<ActionOutcome, LogLevel>> = {
  succeeded: 'info',
  satisfied: 'info',
  failed: 'error',
  in_flight: 'warn',
  stale: 'info',
}

const WORDS: Record<ActionOutcome, string> = {
  succeeded: 'succeeded',
  satisfied: 'is as desired',
  failed: 'failed',
  in_flight: 'is in flight: how it ended is not known',
  refused: 'was refused by the gate',
  blocked: 'is not done',
  stale: 'was left: the guest has changed',
  frozen: 'was left: an earlier operation is open',
  skipped: 'was left: an earlier action did not succeed',
  not_started: 'was not begun',
}

function describeResult(result: ActionResult, run: string): LogLine {
  const {guest, name, node, action, outcome, op, upid, detail, refusal} = result
  const isDone = outcome === 'succeeded' || outcome === 'satisfied'
  const what = isDone ? describeDone(action) : `${describeWish(action)} ${WORDS[outcome]}`
  const why = detail === undefined || detail === '' ? '' : `: ${detail}`
  return line(LEVEL_OF_OUTCOME[outcome] ?? 'debug', `${nameGuest(guest, name)}: ${what}${why}`, {
    ...{run, ...guestFields(guest, name, node), action: action.type, outcome, op, upid, detail, refusal},
  })
}

function describeJob({nonce, op, guest, outcome, refusal, detail, operation}: JobResult): LogLine {
  const level = LEVEL_OF_OUTCOME[outcome] ?? (outcome === 'refused' ? 'warn' : 'debug')
  const whom = guest ? ` of ${formatGuestId(guest)}` : ''
  const why = detail === undefined || detail === '' ? '' : `: ${detail}`
  return {
    ...line(level, `signed job ${op}${whom} ${WORDS[outcome]}${why}`, {
      ...{nonce, action: op, guest: guest && formatGuestId(guest), outcome, refusal, detail, op: operation},
    }),
    // Anybody who can write to the source can have jobs refused with ever new nonces.
    ...(outcome === 'refused' && {repeats: `job:${op}:${refusal ?? ''}`}),
  }
}

const LEVEL_OF_ALERT: Record<AlertKind, LogLevel> = {
  drift_found: 'info',
  action_failed: 'warn',
  signature_pending: 'warn',
  quarantine: 'error',
  source_stale: 'warn',
  source_refused: 'error',
  trust_expiring: 'warn',
  pass_failing: 'error',
  disarmed: 'error',
  job_ended: 'info',
}

const describeAlert = ({kind, key, state, guest, text}: Alert): LogLine =>
  line(state === 'over' ? 'info' : LEVEL_OF_ALERT[kind], text, {
    ...{alert: kind, state, key, guest: guest && formatGuestId(guest)},
  })

function describePassEnd(report: PassReport): LogLine[] {
  const {pass, problem, plan, source} = report
  const {msg, fields, isQuiet} = describePass(report)
  const problems = [...(plan?.problems ?? []), ...(plan?.guests ?? []).flatMap((guest) => guest.problems)]
  return [
    ...(problem === undefined ? [] : [describePassProblem(pass, problem)]),
    ...(source?.problem === undefined
      ? []
      : [
          {
            ...line('warn', `source ${source.place} is ${source.state}: ${source.problem}`, {
              ...{pass, sourceState: source.state, reason: source.problem},
            }),
            repeats: `source:${source.state}:${source.problem}`,
          },
        ]),
    ...problems.map(({code, severity, message}) => ({
      ...line('warn', message, {pass, code, severity}),
      repeats: `plan:${code}:${message}`,
    })),
    line(isQuiet ? 'debug' : 'info', msg, fields),
  ]
}

function describePassProblem(pass: number, problem: NonNullable<PassReport['problem']>): LogLine {
  const {code, message} = problem
  const [level, how] = WEIGHT_OF_PROBLEM[code] ?? ['error', `failed (${code})`]
  return {
    ...line(level, `pass ${pass} ${how}: ${message}`, {pass, code, reason: message}),
    repeats: `problem:${code}:${message}`,
  }
}

/** What is no failure: somebody ended it, or somebody works beside the daemon, and the next pass tries again. */
const WEIGHT_OF_PROBLEM: Partial<Record<ErrorCode, readonly [LogLevel, string]>> = {
  interrupted: ['info', 'was interrupted'],
  journal_locked: ['warn', 'waited in vain, and leaves it to the next'],
}

const guestFields = (
  guest: GuestId,
  name: string | undefined,
  node: string | undefined,
): LogLine['fields'] => ({
  guest: formatGuestId(guest),
  name,
  node,
})

const nameGuest = (guest: GuestId, name: string | undefined): string =>
  name === undefined ? formatGuestId(guest) : `${formatGuestId(guest)} ${name}`
