// Which changes of a guest's config go together in one write, and in which order the writes come.
import {findOption} from '../catalog/option.ts'
import {valueAfterRestart, type ActualGuest} from '../model/actual.ts'
import type {DesiredGuest} from '../model/desired.ts'
import type {Impact, PlannedAction} from '../model/plan.ts'
import {isRefusedDisk} from './find-blockers.ts'
import {uniqueNeeds} from './unique-needs.ts'
import {weighOption, type WeighedChange} from './weigh-option.ts'

/**
 * Benign changes together in one write, but for what another of them makes Proxmox rewrite: that is written behind it,
 * for within one write it is left to chance which of the two wins. Each destructive, root-only or refused change
 * stands by itself, behind them.
 */
export function planWrites(
  changes: readonly WeighedChange[],
  desired: DesiredGuest,
  guest: ActualGuest,
): PlannedAction[] {
  const together = changes.filter((change) => isWritten(change, guest))
  const apart = changes.filter((change) => !isWritten(change, guest)).map((change) => [change])
  const all = [...together, ...putBack(together, changes, desired, guest)]
  return [...orderWrites(all.flatMap((change) => splitRemoval(change, guest))), ...apart].map(setConfig)
}

/** Writes in the order in which nothing rewrites what was written before. */
function orderWrites(changes: readonly WeighedChange[]): WeighedChange[][] {
  const writes: WeighedChange[][] = []
  let rest = [...changes]
  while (rest.length > 0) {
    const rewritten = new Set(rest.flatMap(({change}) => change.sideEffects ?? []))
    const free = rest.filter(({change}) => !rewritten.has(change.option))
    const candidates = free.length > 0 ? free : rest
    const names = candidates.map(({change}) => change.option)
    const write = candidates.filter(({change}, i) => names.indexOf(change.option) === i)
    writes.push(write)
    rest = rest.filter((change) => !write.includes(change))
  }
  return writes
}

/** Whether it goes through without anybody's leave. */
export const isWritten = ({change, needs}: WeighedChange, guest: ActualGuest): boolean =>
  change.class === 'benign' && !needs.some((need) => need.rootOnly) && !isRefusedDisk(change, guest)

/**
 * An option of a container that is set and waits to be set otherwise is not gone once it is deleted: what waits comes
 * back with the next start. So it is first set to what it is, which ends the wait, and then deleted.
 */
function splitRemoval(weighed: WeighedChange, guest: ActualGuest): readonly WeighedChange[] {
  const {option: name, before, after} = weighed.change
  const option = findOption(guest.kind, name)
  if (!option || after !== undefined || guest.kind !== 'lxc' || !guest.config.known) return [weighed]
  const current = guest.config.current[name]
  const isSetAnew = guest.config.pending.some((change) => change.option === name && change.kind === 'set')
  if (current === undefined || !isSetAnew) return [weighed]
  const wait = weighOption(option, before, current, 'what waits is taken back', guest)
  return [wait, {...weighed, change: {...weighed.change, before: current}}]
}

/** What is as desired until one of these changes makes Proxmox rewrite it. */
function putBack(
  written: readonly WeighedChange[],
  changes: readonly WeighedChange[],
  desired: DesiredGuest,
  guest: ActualGuest,
): WeighedChange[] {
  const names = new Set(changes.map(({change}) => change.option))
  const rewritten = new Set(written.flatMap(({change}) => change.sideEffects ?? []))
  const lost = [...rewritten].filter((name) => desired.options.has(name) && !names.has(name))
  const back = lost.flatMap((name) => keep(name, guest))
  return back.length === 0 ? [] : [...back, ...putBack(back, [...changes, ...back], desired, guest)]
}

function keep(name: string, guest: ActualGuest): WeighedChange[] {
  const option = findOption(guest.kind, name)
  if (!option || !guest.config.known) return []
  const value = valueAfterRestart(guest.config, name)
  return [weighOption(option, value, value, 'put back, for Proxmox rewrites it', guest)]
}

const IMPACT_ORDER: readonly Impact[] = ['none', 'live', 'restart', 'outage']

const worst = (impacts: readonly Impact[]): Impact =>
  impacts.reduce((a, b) => (IMPACT_ORDER.indexOf(b) > IMPACT_ORDER.indexOf(a) ? b : a), 'none')

function setConfig(weighed: readonly WeighedChange[]): PlannedAction {
  const changes = weighed.map(({change}) => change)
  const names = changes.map(({option}) => option)
  return {
    type: 'set-config',
    changes,
    why: `${names.join(', ')} differ${names.length === 1 ? 's' : ''} from what is desired`,
    impact: worst(changes.map(({impact}) => impact)),
    reversible: changes.every(({reversible}) => reversible),
    class: changes.some((change) => change.class === 'destructive') ? 'destructive' : 'benign',
    needs: uniqueNeeds(weighed.flatMap(({needs}) => needs)),
    blockers: [],
  }
}
