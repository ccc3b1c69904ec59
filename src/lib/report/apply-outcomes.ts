// What became of each guest of a run, counted and put in order of how much it needs somebody's attention.
import type {GuestId} from '../model/guest.ts'
import type {Blocker, PlannedAction} from '../model/plan.ts'
import type {ActionResult} from '../model/run-event.ts'

/** `unsigned`: waits for a signature. `stopped`: the run ended before it. */
export type GuestStatus =
  'done' | 'stopped' | 'blocked' | 'unsigned' | 'frozen' | 'stale' | 'failed' | 'in flight'

export interface GuestOutcome {
  readonly guest: GuestId
  readonly name: string | undefined
  readonly status: GuestStatus
  readonly results: readonly ActionResult[]
}

const WORST: readonly GuestStatus[] = [
  'done',
  'stopped',
  'blocked',
  'unsigned',
  'frozen',
  'stale',
  'failed',
  'in flight',
]

export const isDone = ({outcome}: ActionResult): boolean => outcome === 'succeeded' || outcome === 'satisfied'

/** Refused by the gate, or left out for the sake of something that was. */
export const isUnsigned = ({outcome, action}: ActionResult): boolean =>
  outcome === 'refused' ||
  ((outcome === 'blocked' || outcome === 'skipped') && needsSignatureAlone(action.blockers))

const needsSignatureAlone = (blockers: readonly Blocker[]): boolean =>
  blockers.some(({code}) => code === 'needs_signature')

export function groupByGuest(results: readonly ActionResult[]): GuestOutcome[] {
  const byVmid = new Map<number, ActionResult[]>()
  for (const result of results) {
    const {vmid} = result.guest
    byVmid.set(vmid, [...(byVmid.get(vmid) ?? []), result])
  }
  return [...byVmid.values()].map((own) => {
    const guest = own[0]?.guest ?? {kind: 'lxc', vmid: 0}
    const name = own.find((result) => result.name !== undefined)?.name
    return {guest, name, status: worstStatus(own), results: own}
  })
}

const worstStatus = (results: readonly ActionResult[]): GuestStatus =>
  results
    .map(statusOf)
    .reduce((worst, next) => (WORST.indexOf(next) > WORST.indexOf(worst) ? next : worst), 'done')

function statusOf(result: ActionResult): GuestStatus {
  if (isUnsigned(result)) return 'unsigned'
  switch (result.outcome) {
    case 'failed':
      return 'failed'
    case 'in_flight':
      return 'in flight'
    case 'stale':
      return 'stale'
    case 'frozen':
      return 'frozen'
    case 'blocked':
      return 'blocked'
    case 'not_started':
      return 'stopped'
    // What was skipped has its reason in another action of the same guest.
    default:
      return 'done'
  }
}

/** Of what was done, guests; of what was not, actions. */
export interface ApplyCounts {
  readonly created: number
  readonly changed: number
  readonly destroyed: number
  readonly started: number
  readonly stopped: number
  readonly restarted: number
  readonly failed: number
  readonly inFlight: number
  readonly stale: number
  readonly frozen: number
  readonly blocked: number
  readonly unsigned: number
  readonly skipped: number
  readonly notStarted: number
}

export function countApply(results: readonly ActionResult[]): ApplyCounts {
  const done = groupByGuest(results.filter(isDone))
  const guestsWith = (...types: PlannedAction['type'][]): number =>
    done.filter((guest) => guest.results.some(({action}) => types.includes(action.type))).length
  const ended = (outcome: ActionResult['outcome']): number =>
    results.filter((result) => result.outcome === outcome && !isUnsigned(result)).length
  return {
    created: guestsWith('create'),
    changed: guestsWith('set-config', 'resize', 'migrate', 'snapshot-delete', 'snapshot-rollback'),
    destroyed: guestsWith('destroy'),
    started: guestsWith('start'),
    stopped: guestsWith('shutdown'),
    restarted: guestsWith('restart'),
    failed: ended('failed'),
    inFlight: ended('in_flight'),
    stale: ended('stale'),
    frozen: ended('frozen'),
    blocked: ended('blocked'),
    unsigned: results.filter(isUnsigned).length,
    skipped: ended('skipped'),
    notStarted: ended('not_started'),
  }
}
