// `ensure: absent`: a guest that exists is shut down and destroyed. Its data is lost, so it is destructive
// whatever else is true of it.
import {listVolumes} from '../catalog/list-volumes.ts'
import type {ActualGuest} from '../model/actual.ts'
import type {DesiredGuest} from '../model/desired.ts'
import type {GuestPlan, PlannedAction} from '../model/plan.ts'
import {planShutdown} from './plan-run-state.ts'

export function planAbsence(desired: DesiredGuest, guest: ActualGuest, base: GuestPlan): GuestPlan {
  const why = 'it is desired to be absent'
  const isUp = guest.run === 'running' || guest.run === 'paused'
  const destroy: PlannedAction = {
    type: 'destroy',
    volumes: guest.config.known ? listVolumes(guest.kind, guest.config.current) : [],
    why,
    impact: isUp ? 'outage' : 'none',
    reversible: false,
    class: 'destructive',
    needs: [{path: `/vms/${guest.vmid}`, anyOf: ['VM.Allocate']}],
    blockers: [],
  }
  return {...base, actions: isUp ? [planShutdown(desired, guest, why), destroy] : [destroy]}
}
