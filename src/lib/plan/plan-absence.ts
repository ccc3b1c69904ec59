// `ensure: absent`: a guest that exists is shut down and destroyed. Its data is lost, so it is destructive
// whatever else is true of it.
import {findOption} from '../catalog/option.ts'
import type {ActualGuest} from '../model/actual.ts'
import type {DesiredGuest} from '../model/desired.ts'
import type {GuestPlan, PlannedAction} from '../model/plan.ts'
import {planShutdown} from './plan-run-state.ts'

export function planAbsence(desired: DesiredGuest, guest: ActualGuest, base: GuestPlan): GuestPlan {
  const why = 'it is desired to be absent'
  const isUp = guest.run === 'running' || guest.run === 'paused'
  const destroy: PlannedAction = {
    type: 'destroy',
    volumes: listVolumes(guest),
    why,
    impact: isUp ? 'outage' : 'none',
    reversible: false,
    class: 'destructive',
    needs: [{path: `/vms/${guest.vmid}`, anyOf: ['VM.Allocate']}],
    blockers: [],
  }
  return {...base, actions: isUp ? [planShutdown(desired, guest, why), destroy] : [destroy]}
}

/** Every volume that goes with the guest, unused ones too; a CD in the drive does not. */
function listVolumes(guest: ActualGuest): {option: string; text: string}[] {
  if (!guest.config.known) return []
  return Object.entries(guest.config.current)
    .filter(
      ([name, text]) =>
        isVolume(guest, name) && !/(?:^|,)media=cdrom(?:,|$)/.test(text) && !/^(?:none|cdrom)\b/.test(text),
    )
    .map(([option, text]) => ({option, text}))
    .sort((a, b) => (a.option < b.option ? -1 : 1))
}

const isVolume = (guest: ActualGuest, name: string): boolean =>
  /^unused\d+$/.test(name) || findOption(guest.kind, name)?.isDisk === true
