// From YAML text to a plan, the way `felhom plan` goes, with live state from wherever the test has it.
import {DesiredReader} from '../../src/lib/desired/read-desired.ts'
import type {ActualCluster} from '../../src/lib/model/actual.ts'
import type {DesiredState} from '../../src/lib/model/desired.ts'
import type {OptionChange, Plan} from '../../src/lib/model/plan.ts'
import {heldPrivileges} from '../../src/lib/plan/held-privileges.ts'
import {planChanges} from '../../src/lib/plan/plan-changes.ts'

export function readDesiredText(yaml: string): DesiredState {
  const reader = new DesiredReader()
  reader.add({file: 'guests.yaml', dir: '/', bytes: Buffer.from(yaml)})
  const reading = reader.finish()
  if (!reading.valid) throw new Error(reading.diagnostics.map(({message}) => message).join('; '))
  return reading.state
}

/** `guests` is what stands below `guests:`, in flow style or indented by two. */
export function planText(guests: string, live: ActualCluster): Plan {
  const desired = readDesiredText(`felhom: 1\nguests:${guests.startsWith('\n') ? guests : ` ${guests}`}\n`)
  return planChanges(desired, live, live.privileges ? {held: heldPrivileges(live.privileges)} : {})
}

export const stepsOf = (plan: Plan): string[] =>
  plan.guests.flatMap((guest) => guest.actions.map((action) => action.type))

export const changesIn = (plan: Plan): OptionChange[] =>
  plan.guests.flatMap((guest) =>
    guest.actions.flatMap((action) => (action.type === 'set-config' ? action.changes : [])),
  )

export const problemsIn = (plan: Plan): string[] =>
  [...plan.problems, ...plan.guests.flatMap((guest) => guest.problems)].map(({code}) => code)

export const blockersIn = (plan: Plan): string[] =>
  plan.guests.flatMap((guest) => guest.actions.flatMap((action) => action.blockers.map(({code}) => code)))
