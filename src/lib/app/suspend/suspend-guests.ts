// What the operator does so that the daemon leaves a guest alone, or takes it up again; both are audited. To suspend
// waits for nobody, not even for a pass that is under way: that asks what is suspended before each action.
import {existsSync} from 'node:fs'
import type {Suspension} from '../../model/daemon.ts'
import {FelhomError, isFelhomError} from '../../model/felhom-error.ts'
import {acquireLock} from '../../store/acquire-lock.ts'
import {openStateDirectory} from '../../store/open-state-directory.ts'
import {
  holdsAt,
  putDamagedAside,
  readKeptSuspensions,
  writeSuspensions,
  type KeptSuspensions,
  type WholeSuspensions,
} from '../../store/suspensions.ts'
import {auditLocked, auditSuspensions, SHORT_LOCK_MS} from './audit-suspensions.ts'
import {toLock} from '../gate/gate-upkeep.ts'
import type {UpkeepRequest} from '../journal/journal-upkeep.ts'
import {withGateStores} from '../state/open-state.ts'
import {openGateStores} from '../state/open-stores.ts'
import {operatorAtHost} from '../gate/operator-at-host.ts'
import {withSuspensionsLock} from './with-suspensions-lock.ts'

export interface SuspensionWish {
  readonly vmid: number | 'all'
  readonly untilMs?: number
  readonly reason?: string
}

export interface Suspended {
  readonly suspension: Suspension
  /** What held before, for the same guest. */
  readonly replaced?: Suspension
  /** Who has the state directory now: the audit is written by whoever has it next. */
  readonly busy?: string
}

/** For others who are done at once; whoever suspends must not wait for a pass. */
const MOMENT_MS = 1_000

/** Written before it is audited: if the audit cannot be kept, the guest is left alone all the same. */
export async function suspendGuests(
  request: UpkeepRequest,
  wish: SuspensionWish,
  now: () => number,
): Promise<Suspended> {
  const dir = await openStateDirectory(request.settings.state)
  const suspended = await withSuspensionsLock(toLock(request), dir, (): Suspended => {
    const nowMs = now()
    const {suspensions, unaudited} = requireWhole(readKeptSuspensions(dir))
    const held = suspensions.filter((one) => holdsAt(one, nowMs))
    const suspension: Suspension = {...wish, sinceMs: nowMs, by: operatorAtHost()}
    const replaced = held.find(({vmid}) => vmid === wish.vmid)
    const next = sortByGuest([...held.filter((one) => one !== replaced), suspension])
    writeSuspensions(dir, next, [...unaudited, suspension])
    return {suspension, ...(replaced && {replaced})}
  })
  const busy = await auditUnlessBusy(request, dir)
  return {...suspended, ...(busy !== undefined && {busy})}
}

/** Who has the state directory, if that is not free in a moment. */
async function auditUnlessBusy(request: UpkeepRequest, dir: string): Promise<string | undefined> {
  const {signal, holder} = request
  let other = 'another process'
  const onWait = (who: string): void => {
    other = who
  }
  try {
    const lock = await acquireLock(dir, {holder, signal, timeoutMs: MOMENT_MS, onWait})
    try {
      await auditAlone(request, dir)
    } finally {
      await lock.release()
    }
    return undefined
  } catch (error) {
    if (isFelhomError(error, 'journal_locked')) return other
    throw isFelhomError(error) ? unaudited(error) : error
  }
}

async function auditAlone({signal, holder, warn}: UpkeepRequest, dir: string): Promise<void> {
  const stores = await openGateStores({dir, warn})
  try {
    const {audit} = stores
    await auditSuspensions({dir, audit}, {holder, signal, lockTimeoutMs: SHORT_LOCK_MS})
  } finally {
    await stores.close()
  }
}

const unaudited = (error: FelhomError): FelhomError =>
  new FelhomError(error.code, `it could not be audited: ${error.message}`, {
    cause: error,
    ...(error.hint !== undefined && {hint: error.hint}),
    doubt: 'It is suspended all the same.',
  })

export interface Resumed {
  /** Absent: it was not suspended. */
  readonly lifted?: Suspension
  /** What is suspended still. */
  readonly left: readonly Suspension[]
  /** Where a file went that could not be read. */
  readonly aside?: string
}

/** The audit first: what is not in it has not happened. So this one waits for whoever has the state directory. */
export async function resumeGuests(
  request: UpkeepRequest,
  vmid: number | 'all',
  now: () => number,
): Promise<Resumed> {
  if (!existsSync(request.settings.state)) return {left: []}
  const {signal, holder} = request
  return withGateStores(toLock(request), (place) =>
    withSuspensionsLock({signal, holder, lockTimeoutMs: SHORT_LOCK_MS}, place.dir, async () => {
      const {dir, audit} = place
      const nowMs = now()
      await auditLocked(place)
      const kept = readKeptSuspensions(dir)
      const isNewStart = 'problem' in kept && vmid === 'all'
      const held = isNewStart ? [] : requireWhole(kept).suspensions.filter((one) => holdsAt(one, nowMs))
      const lifted = held.find((one) => one.vmid === vmid)
      if (!lifted && !isNewStart) return {left: held}
      await audit.note({type: 'resumed', ...(vmid !== 'all' && {vmid}), by: operatorAtHost()})
      const aside = isNewStart ? {aside: putDamagedAside(dir, nowMs)} : {}
      const left = held.filter((one) => one !== lifted)
      writeSuspensions(dir, left)
      return {left, ...(lifted && {lifted}), ...aside}
    }),
  )
}

function requireWhole(kept: KeptSuspensions): WholeSuspensions {
  if ('suspensions' in kept) return kept
  throw new FelhomError('state_unsafe', kept.problem, {
    hint: kept.mend,
    doubt: 'Nothing was changed; the daemon leaves every guest alone until it is mended.',
  })
}

/** That of all first, then by number. */
const sortByGuest = (suspensions: readonly Suspension[]): Suspension[] =>
  [...suspensions].sort((a, b) => numberOf(a) - numberOf(b))

const numberOf = ({vmid}: Suspension): number => (vmid === 'all' ? 0 : vmid)
