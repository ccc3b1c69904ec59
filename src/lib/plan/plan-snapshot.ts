// A snapshot to delete or to roll back to: nothing that a desired state could say, so a command asks for it. What
// stands in its way is found as for any other action.
import type {ActualCluster, ActualGuest} from '../model/actual.ts'
import type {GuestPlan, PlannedAction} from '../model/plan.ts'
import {blockActions, type Held} from './find-blockers.ts'
import {describeExisting} from './plan-changes.ts'

export interface SnapshotWish {
  readonly type: 'snapshot-delete' | 'snapshot-rollback'
  readonly snapshot: string
}

export function planSnapshot(
  wish: SnapshotWish,
  guest: ActualGuest,
  cluster: ActualCluster,
  held: Held | undefined,
): GuestPlan {
  // What a signature is for is compared with the guest itself: a change of its config since is the gate's to see.
  const plan: GuestPlan = {...describeExisting(guest), liveDigest: undefined}
  const action: PlannedAction = {
    ...wish,
    why: 'it was asked for',
    impact: wish.type === 'snapshot-rollback' && guest.run !== 'stopped' ? 'outage' : 'none',
    reversible: false,
    class: 'destructive',
    needs: [{path: `/vms/${guest.vmid}`, anyOf: PRIVILEGES[wish.type]}],
    blockers: [],
  }
  return {...plan, actions: [blockActions(action, plan, {cluster, guest, held})]}
}

const PRIVILEGES: Readonly<Record<SnapshotWish['type'], readonly string[]>> = {
  'snapshot-delete': ['VM.Snapshot'],
  'snapshot-rollback': ['VM.Snapshot', 'VM.Snapshot.Rollback'],
}
