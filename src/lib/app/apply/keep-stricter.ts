// What a saved plan says of its own steps is believed where it is the stricter: a rule of a plugin demanded a signature
// when it was looked at, and leaving out the plugin afterwards makes nothing easier.
import type {GuestPlan, PlannedAction} from '../../model/plan.ts'
import {blockTogether} from '../../plan/find-blockers.ts'
import {demandSignature} from '../gate/signature-state.ts'

export function keepStricter(saved: GuestPlan, fresh: GuestPlan): GuestPlan {
  const held = saved.actions.filter((action) => action.class !== 'benign')
  const isHeld = (action: PlannedAction): boolean =>
    action.class === 'benign' && held.some((one) => isAbout(one, action))
  if (!fresh.actions.some(isHeld)) return fresh
  const actions = fresh.actions.map((action) => (isHeld(action) ? demandSignature(action, HELD) : action))
  return {...fresh, actions: blockTogether(actions)}
}

const HELD = 'the saved plan demands a signature for it'

/** Planned again, a step may have less to do than it had; it is still the one that was held back. */
function isAbout(held: PlannedAction, action: PlannedAction): boolean {
  if (held.type !== action.type) return false
  if (held.type === 'resize' && action.type === 'resize') return held.disk === action.disk
  if (held.type !== 'set-config' || action.type !== 'set-config') return true
  const options = new Set(held.changes.map(({option}) => option))
  return action.changes.some(({option}) => options.has(option))
}
