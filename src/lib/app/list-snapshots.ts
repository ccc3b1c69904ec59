// The snapshots of one guest, wherever it is.
import type {Snapshot} from '../model/snapshot.ts'
import {formatGuestId} from '../model/guest.ts'
import type {Settings} from '../settings/settings.ts'
import {withProxmox} from './compose.ts'
import {findGuest} from './gate/run-signed-job.ts'

export interface GuestSnapshots {
  readonly guest: string
  readonly node: string
  /** Oldest first. */
  readonly snapshots: readonly Snapshot[]
}

export function listSnapshots(
  text: string,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<GuestSnapshots> {
  return withProxmox(settings, env, async ({reader}) => {
    const guest = findGuest(text, await reader.readCluster())
    const snapshots = await reader.readSnapshots(guest)
    const byTime = [...snapshots].sort((a, b) => (a.snaptime ?? 0) - (b.snaptime ?? 0))
    return {guest: formatGuestId(guest), node: guest.node, snapshots: byTime}
  })
}
