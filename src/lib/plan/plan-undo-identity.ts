// Whether the guest of a number still is the one that a run changed. Numbers are used again, and so are the names of
// volumes: what tells guests apart best decides.
import type {ActualGuest, KnownConfig} from '../model/actual.ts'
import type {GuestKind} from '../model/guest.ts'
import {identifyGuest} from '../model/identity.ts'
import type {Operation} from '../model/operation.ts'

/** Best first. A generation id changes with every rollback; a volume of the same name may be another one. */
const TELLING: Readonly<Record<GuestKind, readonly string[]>> = {
  qemu: ['uuid:', 'vmgenid:'],
  lxc: ['hwaddr:', 'rootfs:'],
}

export function isAnotherGuest(
  operations: readonly Operation[],
  guest: ActualGuest,
  config: KnownConfig,
): boolean {
  const known = knownIds(operations)
  const now = identifyGuest(guest, config.current).ids
  if (operations.some(({intent}) => intent.target.kind !== guest.kind)) return true
  for (const prefix of TELLING[guest.kind]) {
    const [old, fresh] = [known, now].map((ids) => ids.filter((id) => id.startsWith(prefix)))
    if (old && fresh && old.length > 0 && fresh.length > 0) return !fresh.some((id) => old.includes(id))
  }
  return false
}

/** Those that it had, and those that the run itself gave to it. */
function knownIds(operations: readonly Operation[]): string[] {
  return operations.flatMap(({intent: {identity, body, target}}) => [
    ...(identity?.ids ?? []),
    ...(body.type === 'set-config' ? identifyGuest(target, body.set).ids : []),
  ])
}
