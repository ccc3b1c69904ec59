// What is to be suspended or resumed, as it was typed. Nothing is read and nothing is changed here.
import {FelhomError} from '../../model/felhom-error.ts'
import {parseTarget} from '../../plan/select-targets.ts'
import type {SuspensionWish} from './suspend-guests.ts'

const LONGEST_REASON = 500
/** Nobody can write a later one: the end of the year 9999. */
const LAST_TIME_MS = Date.UTC(9999, 11, 31)

export interface TypedSuspension {
  readonly guest?: string | undefined
  readonly all: boolean
  readonly reason?: string | undefined
  /** Epoch milliseconds. */
  readonly until?: number | undefined
  /** Milliseconds. */
  readonly for?: number | undefined
}

export function readSuspensionWish(typed: TypedSuspension, nowMs: number): SuspensionWish {
  const vmid = readSuspendedGuest(typed.guest, typed.all)
  const untilMs = typed.until ?? (typed.for === undefined ? undefined : nowMs + typed.for)
  if (untilMs !== undefined && untilMs <= nowMs)
    throw usage('a suspension cannot end before it begins', 'Name a time to come, as --for 2h.')
  if (untilMs !== undefined && untilMs > LAST_TIME_MS)
    throw usage('a suspension cannot end so late', 'Without --for and --until it holds until it is resumed.')
  const {reason} = typed
  if (reason !== undefined && reason.length > LONGEST_REASON)
    throw usage(`the reason has ${reason.length} characters`, `Say it in ${LONGEST_REASON}.`)
  return {vmid, ...(untilMs !== undefined && {untilMs}), ...(reason !== undefined && {reason})}
}

export function readSuspendedGuest(guest: string | undefined, all: boolean): number | 'all' {
  // A flag that was not given is undefined, whatever its type says.
  if ((guest === undefined) === !all)
    throw usage(
      all ? 'a guest cannot be joined with --all' : 'nothing is named',
      'Name a guest as lxc/101 or 101, or say --all.',
    )
  if (guest === undefined) return 'all'
  const target = parseTarget(guest)
  if (target) return target.vmid
  throw usage(`${JSON.stringify(guest)} names no guest`, 'A guest is named as lxc/101 or 101.')
}

const usage = (message: string, hint: string): FelhomError =>
  new FelhomError('usage', message, {hint, doubt: 'Nothing was changed.'})
