// Whether an option of a guest that is being made can lose somebody's data. A new guest has none of its own to
// lose, but its disks may name a volume that is another's.
import type {GuestKind} from '../model/guest.ts'
import type {CreateOrigin, GateClass} from '../model/plan.ts'
import {findOption} from './option.ts'
import {weighChange} from './weigh-change.ts'

/** What creation takes and a config does not hold. */
const CREATION_ONLY: ReadonlySet<string> = new Set(['pool', 'password', 'ssh-public-keys', 'unprivileged'])

export function classAtCreation(
  {kind, vmid}: {readonly kind: GuestKind; readonly vmid: number},
  from: CreateOrigin,
  name: string,
  text: string | undefined,
): GateClass {
  if (CREATION_ONLY.has(name)) return 'benign'
  const option = findOption(kind, name)
  if (!option) return 'destructive'
  // The disks of a copy are its own; what is written about them is set once it is copied, and weighed then.
  if (!option.isDisk || 'clone' in from || 'restore' in from) return 'benign'
  return weighChange(option, undefined, text, 'stopped', {vmid, config: {}}).class
}
