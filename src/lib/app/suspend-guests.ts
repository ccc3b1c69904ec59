// What the operator does so that the daemon leaves a guest alone, or takes it up again: under the lock, so that no
// pass of a daemon is under way, and audited.
import {existsSync} from 'node:fs'
import type {Suspension} from '../model/daemon.ts'
import {FelhomError} from '../model/felhom-error.ts'
import {
  holdsAt,
  putDamagedAside,
  readKeptSuspensions,
  writeSuspensions,
  type KeptSuspensions,
} from '../store/suspensions.ts'
import {toLock} from './gate-upkeep.ts'
import type {UpkeepRequest} from './journal-upkeep.ts'
import {withGateStores} from './open-state.ts'
import {operatorAtHost} from './operator-at-host.ts'

export interface SuspensionWish {
  readonly vmid: number | 'all'
  readonly untilMs?: number
  readonly reason?: string
}

export interface Suspended {
  readonly suspension: Suspension
  /** What held before, for the same guest. */
  readonly replaced?: Suspension
}

/** Written before it is audited: if the audit cannot be kept, the guest is left alone all the same. */
export function suspendGuests(
  request: UpkeepRequest,
  wish: SuspensionWish,
  now: () => number,
): Promise<Suspended> {
  return withGateStores(toLock(request), async ({dir, audit}) => {
    const nowMs = now()
    const held = requireWhole(readKeptSuspensions(dir)).filter((one) => holdsAt(one, nowMs))
    const suspension: Suspension = {...wish, sinceMs: nowMs, by: operatorAtHost()}
    const replaced = held.find(({vmid}) => vmid === wish.vmid)
    writeSuspensions(dir, sortByGuest([...held.filter((one) => one !== replaced), suspension]))
    const {untilMs, reason, by} = suspension
    await audit.note({
      type: 'suspended',
      ...(wish.vmid !== 'all' && {vmid: wish.vmid}),
      ...(untilMs !== undefined && {untilMs}),
      ...(reason !== undefined && {reason}),
      by,
    })
    return {suspension, ...(replaced && {replaced})}
  })
}

export interface Resumed {
  /** Absent: it was not suspended. */
  readonly lifted?: Suspension
  /** What is suspended still. */
  readonly left: readonly Suspension[]
  /** Where a file went that could not be read. */
  readonly aside?: string
}

/** The audit first: what is not in it has not happened. */
export async function resumeGuests(
  request: UpkeepRequest,
  vmid: number | 'all',
  now: () => number,
): Promise<Resumed> {
  if (!existsSync(request.settings.state)) return {left: []}
  return withGateStores(toLock(request), async ({dir, audit}) => {
    const nowMs = now()
    const kept = readKeptSuspensions(dir)
    const isNewStart = 'problem' in kept && vmid === 'all'
    const held = isNewStart ? [] : requireWhole(kept).filter((one) => holdsAt(one, nowMs))
    const lifted = held.find((one) => one.vmid === vmid)
    if (!lifted && !isNewStart) return {left: held}
    await audit.note({type: 'resumed', ...(vmid !== 'all' && {vmid}), by: operatorAtHost()})
    const aside = isNewStart ? {aside: putDamagedAside(dir, nowMs)} : {}
    const left = held.filter((one) => one !== lifted)
    writeSuspensions(dir, left)
    return {left, ...(lifted && {lifted}), ...aside}
  })
}

function requireWhole(kept: KeptSuspensions): readonly Suspension[] {
  if ('suspensions' in kept) return kept.suspensions
  throw new FelhomError('state_unsafe', kept.problem, {
    hint: kept.mend,
    doubt: 'Nothing was changed; the daemon leaves every guest alone until it is mended.',
  })
}

/** That of all first, then by number. */
const sortByGuest = (suspensions: readonly Suspension[]): Suspension[] =>
  [...suspensions].sort((a, b) => numberOf(a) - numberOf(b))

const numberOf = ({vmid}: Suspension): number => (vmid === 'all' ? 0 : vmid)
