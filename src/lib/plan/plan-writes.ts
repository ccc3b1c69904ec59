// Which changes of a guest's config go together in one write, and in which order the writes come.
import {findOption} from '../catalog/option.ts'
import {valueAfterRestart, type ActualGuest} from '../model/actual.ts'
import type {DesiredGuest} from '../model/desired.ts'
import type {Impact, PlannedAction} from '../model/plan.ts'
import {isRefusedDisk} from './find-blockers.ts'
import {uniqueNeeds} from './unique-needs.ts'
import {weighOption, type WeighedChange} from './weigh-option.ts'

/**
 * Benign changes together in one write; what Proxmox rewrites as a consequence of another in a second one, for within
 * one write it is left to chance which of the two wins; each destructive, root-only or refused one by itself, behind
 * them.
 */
export function planWrites(
  changes: readonly WeighedChange[],
  desired: DesiredGuest,
  guest: ActualGuest,
): PlannedAction[] {
  const together = changes.filter((change) => isWritten(change, guest))
  const apart = changes.filter((change) => !isWritten(change, guest)).map((change) => [change])
  const rewritten = new Set(together.flatMap(({change}) => change.sideEffects ?? []))
  const first = together.filter(({change}) => !rewritten.has(change.option))
  const second = together.filter(({change}) => rewritten.has(change.option))
  const names = new Set(changes.map(({change}) => change.option))
  const kept = [...rewritten].filter((name) => desired.options.has(name) && !names.has(name))
  const back = kept.flatMap((name) => putBack(name, guest))
  return [first, [...second, ...back], ...apart].filter((write) => write.length > 0).map(setConfig)
}

/** Whether it goes through without anybody's leave. */
export const isWritten = ({change, needs}: WeighedChange, guest: ActualGuest): boolean =>
  change.class === 'benign' && !needs.some((need) => need.rootOnly) && !isRefusedDisk(change, guest)

/** It is as desired, until Proxmox rewrites it. */
function putBack(name: string, guest: ActualGuest): WeighedChange[] {
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
