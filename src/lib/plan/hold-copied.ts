// A guest that another one is still to be copied from is not destroyed before: the copy is wanted for what it holds.
import {formatGuestId} from '../model/guest.ts'
import type {Blocker, GuestPlan} from '../model/plan.ts'
import {blockTogether} from './find-blockers.ts'

/** Of all guests that are planned together. */
export function holdCopied<P extends GuestPlan>(plans: readonly P[]): P[] {
  const hold = makeHoldCopied(plans)
  return plans.map(hold)
}

/** The same for one of them that is planned again. */
export function makeHoldCopied(plans: readonly GuestPlan[]): <P extends GuestPlan>(plan: P) => P {
  const copies = new Map<number, GuestPlan>()
  for (const plan of plans)
    for (const source of sourcesIn(plan)) if (!copies.has(source)) copies.set(source, plan)
  return (plan) => {
    const copy = copies.get(plan.vmid)
    if (!copy || !plan.actions.some(({type}) => type === 'destroy')) return plan
    const blocker: Blocker = {
      code: 'copy_pending',
      message: `${formatGuestId(copy)} is still to be copied from it; plan again once that is done`,
    }
    const actions = plan.actions.map((action) =>
      action.type === 'destroy' ? {...action, blockers: [...action.blockers, blocker]} : action,
    )
    return {...plan, actions: blockTogether(actions)}
  }
}

const sourcesIn = ({actions}: GuestPlan): number[] =>
  actions.flatMap((action) => (action.type === 'create' && 'clone' in action.from ? [action.from.clone] : []))
