// What a plan cannot see in Proxmox: that the daemon was told to leave a guest alone. It keeps no operator from an
// apply, but whoever is about to change such a guest must know.
import type {Suspension} from '../../model/daemon.ts'
import {formatGuestId} from '../../model/guest.ts'
import type {Plan} from '../../model/plan.ts'
import {describeSuspensions} from '../../report/suspension-text.ts'
import type {Settings} from '../../settings/settings.ts'
import {holdsAt, readKeptSuspensions} from '../../store/suspensions.ts'

export interface SeenSuspensions {
  readonly suspensions: readonly Suspension[]
  /** Why they could not be read: a sentence. */
  readonly problem?: string
}

/** For those who only look: what cannot be read here may be another user's. */
export function lookAtSuspensions({state}: Pick<Settings, 'state'>, nowMs: number): SeenSuspensions {
  const kept = readKeptSuspensions(state)
  if ('suspensions' in kept) return {suspensions: kept.suspensions.filter((one) => holdsAt(one, nowMs))}
  const problem = `It cannot be told which guests are suspended: ${kept.problem}. A daemon that cannot read it either leaves all of them alone. ${kept.mend}`
  return {suspensions: [], problem}
}

/** Warnings for a plan that an operator looks at or carries out. */
export function warnOfSuspended(
  settings: Pick<Settings, 'state'>,
  {guests}: Plan,
  nowMs: number,
): readonly string[] {
  const {suspensions, problem} = lookAtSuspensions(settings, nowMs)
  if (problem !== undefined) return [problem]
  const changed = new Map(
    guests.filter(({actions}) => actions.length > 0).map((guest) => [guest.vmid, guest]),
  )
  const told = suspensions.filter(({vmid}) => vmid === 'all' || changed.has(vmid))
  const nameOf = (vmid: number): string => {
    const guest = changed.get(vmid)
    return guest ? formatGuestId(guest) : String(vmid)
  }
  return describeSuspensions(told, nameOf).map((text) => `${text} That keeps no apply of yours from it.`)
}
