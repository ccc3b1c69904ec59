// Which matters have begun and which are over since the pass before: each is told once when it begins and once when
// it is over. What a pass says nothing about stays as it was told. Pure.
import type {Alert, JobResult, PassReport} from '../../../model/daemon.ts'
import {formatGuestId, type GuestId} from '../../../model/guest.ts'
import {findMatters, hasEnded, isProven} from './alert-matters.ts'
import {settleTime} from '../settle-time.ts'
import {viewGuests} from './guest-matters.ts'
import {endSentence, nameGuest, type Matter} from './matter.ts'

export interface AlertOptions {
  readonly staleAfterMs: number
  readonly trustWarningMs: number
}

export interface OpenAlert {
  readonly kind: Alert['kind']
  readonly guest?: GuestId
  readonly text: string
  readonly over: string
  readonly sinceMs: number
}

export interface AlertMemory {
  /** What was told and is not over, by key. */
  readonly open: Readonly<Record<string, OpenAlert>>
  /** Nonces of jobs whose end was told, the latest last. */
  readonly jobs: readonly string[]
  /** Since when there is a source that was never good. */
  readonly neverGoodSinceMs?: number
  /** What counts in its place while the clock is before it. */
  readonly neverGoodSetBackToMs?: number
}

type NeverGood = Pick<AlertMemory, 'neverGoodSinceMs' | 'neverGoodSetBackToMs'>

export interface FoundAlerts {
  readonly alerts: readonly Alert[]
  readonly memory: AlertMemory
  /** Beginnings that are not told because too much is open already; they are told once there is room. */
  readonly untold: number
}

export const NOTHING_TOLD: AlertMemory = {open: {}, jobs: []}

export const MOST_OPEN = 5000
export const MOST_JOBS = 1000

export function findAlerts(before: AlertMemory, report: PassReport, options: AlertOptions): FoundAlerts {
  const neverGood = watchNeverGood(before, report)
  const matters = new Map(
    findMatters(report, {...options, ...usedSince(neverGood)}).map((matter) => [matter.key, matter]),
  )
  const open = Object.entries(before.open)
  const over = open.filter(([key, alert]) => !matters.has(key) && !isUnseen(alert, report))
  const kept = open.filter(([key, alert]) => matters.has(key) || isUnseen(alert, report))
  const begun = [...matters.values()].filter(({key}) => !Object.hasOwn(before.open, key))
  const told = begun.slice(0, Math.max(0, MOST_OPEN - kept.length))
  const ended = newlyEnded(before.jobs, report.jobs)
  return {
    alerts: [...over.map(tellOver), ...told.map(tellBeginning), ...ended.map(tellJob)],
    memory: {
      open: Object.fromEntries([...kept, ...told.map((matter) => remember(matter, report.endedMs))]),
      jobs: [...before.jobs, ...ended.map(({nonce}) => nonce)].slice(-MOST_JOBS),
      ...neverGood,
    },
    untold: begun.length - told.length,
  }
}

const tellOver = ([key, {kind, guest, over}]: [string, OpenAlert]): Alert => ({
  ...{kind, key, state: 'over'},
  ...(guest && {guest}),
  text: over,
})

const tellBeginning = ({kind, key, guest, text}: Matter): Alert => ({
  ...{kind, key, state: 'began'},
  ...(guest && {guest}),
  text,
})

const remember = ({kind, key, guest, text, over}: Matter, sinceMs: number): [string, OpenAlert] => [
  key,
  {kind, ...(guest && {guest}), text, over, sinceMs},
]

function watchNeverGood(
  {neverGoodSinceMs, neverGoodSetBackToMs}: AlertMemory,
  {source, startedMs}: PassReport,
): NeverGood {
  const isAsked = source !== undefined && source.kind !== 'none'
  if (isAsked && (source.state === 'fresh' || source.goodAtMs !== undefined)) return {}
  // A pass that failed early has not asked: it stands as before.
  if (neverGoodSinceMs === undefined) return isAsked ? {neverGoodSinceMs: startedMs} : {}
  const {setBackToMs} = settleTime(neverGoodSinceMs, neverGoodSetBackToMs, startedMs)
  return {neverGoodSinceMs, ...(setBackToMs !== undefined && {neverGoodSetBackToMs: setBackToMs})}
}

function usedSince({neverGoodSinceMs, neverGoodSetBackToMs}: NeverGood): {neverGoodSinceMs?: number} {
  const sinceMs = neverGoodSetBackToMs ?? neverGoodSinceMs
  return sinceMs === undefined ? {} : {neverGoodSinceMs: sinceMs}
}

/** Whether the pass came to an end, or at least to its plan: then the journal and the trust store were read too. */
const hasLooked = ({problem, plan}: PassReport): boolean => problem === undefined || plan !== undefined

/** Whether the pass says nothing about what is told as open. */
function isUnseen({kind, guest}: OpenAlert, report: PassReport): boolean {
  switch (kind) {
    case 'pass_failing':
      return false
    case 'source_stale':
      return report.source === undefined
    case 'source_refused':
      // What a source that is away would offer is not known.
      return report.source === undefined || report.source.state === 'away'
    case 'drift_found':
    case 'signature_pending':
      return isGuestUnseen(guest, report)
    case 'action_failed': {
      const view = guest && viewGuests(report).get(formatGuestId(guest))
      // While it waits for its next attempt it has not succeeded.
      return isGuestUnseen(guest, report) || (view?.drift !== undefined && view.failed === undefined)
    }
    case 'job_ended':
      return !hasLooked(report) || (report.areJobsSeen ?? true) !== true
    default:
      return !hasLooked(report)
  }
}

function isGuestUnseen(guest: GuestId | undefined, report: PassReport): boolean {
  if (!hasLooked(report)) return true
  // Without a usable desired state nothing was compared; where none is named, nothing is desired any more.
  if (report.plan === undefined && report.source?.kind !== 'none') return true
  return guest !== undefined && viewGuests(report).get(formatGuestId(guest))?.isUnsettled === true
}

function newlyEnded(told: readonly string[], jobs: readonly JobResult[]): JobResult[] {
  const known = new Set(told)
  return jobs.filter((job) => {
    if (!hasEnded(job) || !isProven(job) || known.has(job.nonce)) return false
    known.add(job.nonce)
    return true
  })
}

function tellJob({nonce, op, guest, outcome, refusal, detail}: JobResult): Alert {
  const subject = guest ? `${op} of ${nameGuest(guest, undefined)}` : op
  const how = outcome === 'refused' ? `was refused (${refusal ?? 'no reason'})` : `has ended: ${outcome}`
  return {
    ...{kind: 'job_ended', key: `job_ended:${nonce}`, state: 'began'},
    ...(guest && {guest}),
    text: `${endSentence(`The signed job ${subject} ${how}${detail === undefined || detail === '' ? '' : `: ${detail}`}`)} Nonce ${nonce}.`,
  }
}
