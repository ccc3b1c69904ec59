// Which guests the daemon leaves alone, for people and for programs.
import type {Suspension} from '../model/daemon.ts'
import {escapeText} from './escape-text.ts'
import {showTime} from './journal-times.ts'
import {plural} from './plural.ts'

const MOST_NAMED = 8

/** `since 2026-11-18T06:03:11Z, until …, by root@pve1: reason`. Escaped. */
export function describeSuspension({sinceMs, untilMs, by, reason}: Suspension): string {
  const until = untilMs === undefined ? '' : `, until ${showTime(untilMs)}`
  return `since ${showTime(sinceMs)}${until}, by ${escapeText(by)}${reason === undefined ? '' : `: ${escapeText(reason)}`}`
}

/**
 * One sentence for that of all and one for those of single guests; none where nothing is suspended. `nameOf`: how a
 * guest is called where it is known. Escaped.
 */
export function describeSuspensions(
  suspensions: readonly Suspension[],
  nameOf: (vmid: number) => string = String,
): string[] {
  const everything = suspensions.find(({vmid}) => vmid === 'all')
  const single = suspensions.filter((one): one is Suspension & {vmid: number} => one.vmid !== 'all')
  const named = single
    .slice(0, MOST_NAMED)
    .map((one) => `${nameOf(one.vmid)} (${describeSuspension(one)})`)
    .join(', ')
  const more = single.length > MOST_NAMED ? ` and ${plural(single.length - MOST_NAMED, 'other')}` : ''
  return [
    ...(everything ? [`All guests are suspended for the daemon (${describeSuspension(everything)}).`] : []),
    ...(single.length > 0 ? [`Suspended for the daemon: ${named}${more}.`] : []),
  ]
}

export interface SuspensionJson {
  readonly guest: number | 'all'
  readonly since: string
  readonly until: string | null
  readonly reason: string | null
  readonly by: string
}

export const encodeSuspension = ({vmid, sinceMs, untilMs, reason, by}: Suspension): SuspensionJson => ({
  guest: vmid,
  since: showTime(sinceMs),
  until: untilMs === undefined ? null : showTime(untilMs),
  reason: reason ?? null,
  by,
})

const nameGuests = (vmid: number | 'all'): string => (vmid === 'all' ? 'All guests' : `Guest ${vmid}`)

export function renderSuspended(suspension: Suspension, replaced: Suspension | undefined): string {
  const {vmid, untilMs} = suspension
  const verb = vmid === 'all' ? 'are' : 'is'
  const end =
    untilMs === undefined
      ? `. It ends with: felhom resume ${vmid === 'all' ? '--all' : vmid}`
      : ` until ${showTime(untilMs)}.`
  const before = replaced ? `\nThat takes the place of an earlier one, ${describeSuspension(replaced)}.` : ''
  return `${nameGuests(vmid)} ${verb} suspended for the daemon${end}${before}`
}

export function renderResumed(
  vmid: number | 'all',
  {
    lifted,
    left,
    aside,
  }: {readonly lifted?: Suspension; readonly left: readonly Suspension[]; readonly aside?: string},
): string {
  const verb = vmid === 'all' ? 'are' : 'is'
  const done =
    lifted || aside !== undefined
      ? `${nameGuests(vmid)} ${verb} no longer suspended for the daemon.`
      : vmid === 'all'
        ? 'No suspension of all guests holds: nothing to do.'
        : `Guest ${vmid} is not suspended by itself: nothing to do.`
  return [done, ...describeSuspensions(left)].join('\n')
}
