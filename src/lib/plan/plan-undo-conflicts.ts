// What the files ask for that an undo would take back: the next apply would do it again.
import {compareOption} from '../catalog/compare-option.ts'
import {findOption} from '../catalog/option.ts'
import type {DesiredGuest, DesiredState} from '../model/desired.ts'
import {formatGuestId} from '../model/guest.ts'
import type {GuestPlan, OptionChange, Plan, PlannedAction} from '../model/plan.ts'

/** `memory of lxc/101`, one for each; `plan` is the plan of the undo. */
export function findConflicts(plan: Plan, desired: DesiredState): string[] {
  const wishes = new Map(desired.guests.map((guest) => [guest.vmid, guest]))
  return plan.guests.flatMap((guest) => {
    const wish = wishes.get(guest.vmid)
    if (wish?.kind !== guest.kind || wish.ensure === 'absent') return []
    return subjectsOf(guest, wish).map((subject) => `${subject} of ${formatGuestId(guest)}`)
  })
}

const subjectsOf = ({actions}: GuestPlan, wish: DesiredGuest): string[] =>
  actions.flatMap((action) =>
    action.type === 'set-config'
      ? action.changes.filter((change) => isWantedOtherwise(change, wish)).map(({option}) => option)
      : isOtherRun(action, wish)
        ? ['run']
        : [],
  )

function isWantedOtherwise({option: name, after}: OptionChange, {kind, options}: DesiredGuest): boolean {
  const option = findOption(kind, name)
  const wanted = options.get(name)?.value
  return option !== undefined && wanted !== undefined && !compareOption(option, after, wanted).equal
}

function isOtherRun({type}: PlannedAction, {run}: DesiredGuest): boolean {
  if (type === 'start') return run === 'stopped'
  return type === 'shutdown' && run === 'running'
}
