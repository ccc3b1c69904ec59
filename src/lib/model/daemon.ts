// What a daemon does and knows, pass by pass: nouns that its loop fills in, and that logs, metrics, status and
// webhooks are made from.
import type {RefusalCode} from './approval.ts'
import type {ErrorCode} from './error-codes.ts'
import type {GuestId} from './guest.ts'
import type {Intent, Operation} from './operation.ts'
import type {Plan} from './plan.ts'
import type {ActionOutcome, ActionResult, RunEvent} from './run-event.ts'

/** `observe`: plans and reports. `benign`: does what loses nothing. `full`: what is signed for, too. */
export type DaemonMode = 'observe' | 'benign' | 'full'

/** What may be done at this moment. `live`: of the benign, what interrupts nothing. */
export type Permission = 'observe' | 'live' | 'benign' | 'full'

export type SourceKind = 'none' | 'files' | 'git' | 'https' | 'plugin'

/**
 * How the source of desired state stands. `fresh`: it answered, and what it said is used. `away`: it did not, and the
 * last good state is used. `refused`: what it said is not used, and the last good state is.
 */
export interface SourceStanding {
  readonly kind: SourceKind
  /** For people: a path or an address, without secrets. */
  readonly place: string
  readonly state: 'fresh' | 'away' | 'refused'
  /** Of what is used: a commit, a digest. Absent: nothing was ever good. */
  readonly revision?: string
  /** When the source last vouched for what is used. */
  readonly goodAtMs?: number
  /** One sentence, where it is not fresh. */
  readonly problem?: string
  /** Of what was refused, so that the operator can accept exactly that. */
  readonly refusedRevision?: string
}

/** The daemon leaves the guest alone, or all of them. */
export interface Suspension {
  readonly vmid: number | 'all'
  readonly sinceMs: number
  readonly untilMs?: number
  readonly reason?: string
  /** user@host */
  readonly by: string
}

/** A guest whose last actions failed, and when it is tried again. */
export interface BackOff {
  readonly guest: GuestId
  readonly failures: number
  readonly untilMs: number
}

/** What an earlier run had left open, and what was found out later: it was not done. */
export interface Setback {
  readonly intent: Intent
  readonly reason: string
}

/** What became of a signed job of the source. */
export interface JobResult {
  readonly nonce: string
  /** `snapshot.delete` */
  readonly op: string
  readonly guest?: GuestId
  readonly outcome: ActionOutcome
  readonly refusal?: RefusalCode
  readonly detail?: string
  /** In the journal. */
  readonly operation?: string
}

export interface PassReport {
  /** Counts from 1 in each process. */
  readonly pass: number
  readonly startedMs: number
  readonly endedMs: number
  readonly mode: DaemonMode
  /** At the beginning; whoever acts is asked again. */
  readonly permission: Permission
  /** Absent where the pass ended before it could ask. */
  readonly source?: SourceStanding
  /** Why the pass could not be made, or could not be ended; the loop goes on. */
  readonly problem?: {readonly code: ErrorCode; readonly message: string}
  /** Absent where it did not come so far. What the daemon may not do now has a blocker that says so. */
  readonly plan?: Plan
  readonly results: readonly ActionResult[]
  readonly jobs: readonly JobResult[]
  /** False: the pass ended before all that the source carries were looked at; or there was nothing to look at. */
  readonly areJobsSeen?: boolean | 'no_source'
  /** In flight or quarantined. */
  readonly open: readonly Operation[]
  readonly disarmed: readonly string[]
  readonly suspensions: readonly Suspension[]
  readonly backOffs: readonly BackOff[]
  /** Of guests that still differ. */
  readonly setbacks?: readonly Setback[]
  readonly trust?: {readonly version: number; readonly expiresMs: number}
}

export const ALERT_KINDS = [
  'drift_found',
  'action_failed',
  'signature_pending',
  'quarantine',
  'source_stale',
  'source_refused',
  'trust_expiring',
  'pass_failing',
  'disarmed',
  'job_ended',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

/** Something that a person may have to know: told once when it begins, and once when it is over. */
export interface Alert {
  readonly kind: AlertKind
  /** The same matter has the same key. */
  readonly key: string
  readonly state: 'began' | 'over'
  readonly guest?: GuestId
  /** One or two sentences, not escaped. */
  readonly text: string
}

/** Times are epoch milliseconds. */
export type DaemonEvent = {readonly atMs: number} & (
  | {
      readonly type: 'daemon_started'
      readonly version: string
      readonly mode: DaemonMode
      /** 0: it makes a single pass. */
      readonly intervalMs: number
    }
  | {readonly type: 'daemon_stopping'; readonly reason: string; readonly running: number}
  | {readonly type: 'daemon_stopped'; readonly left: number}
  | {readonly type: 'settings_reloaded'; readonly mode: DaemonMode; readonly intervalMs: number}
  | {readonly type: 'settings_refused'; readonly message: string}
  | {readonly type: 'warning'; readonly text: string}
  | {readonly type: 'waiting_for_lock'; readonly holder: string}
  | {readonly type: 'pass_started'; readonly pass: number}
  | {
      readonly type: 'recovered'
      readonly decisions: readonly {
        readonly op: string
        readonly guest: GuestId
        readonly verdict: string
        readonly reason: string
      }[]
    }
  | {readonly type: 'run'; readonly event: RunEvent}
  | {readonly type: 'job_ended'; readonly job: JobResult}
  | {readonly type: 'pass_ended'; readonly report: PassReport}
  | {readonly type: 'alert'; readonly alert: Alert}
)
