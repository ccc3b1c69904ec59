// Benign or destructive, weighed anew from the live guest and the catalog: what a plan says about itself counts
// only where it is the stricter. What is not known is destructive.
import {classAtCreation} from '../catalog/class-at-creation.ts'
import type {GateClass} from '../model/plan.ts'
import {bindAction} from './bind-action.ts'
import {classifyChange, strictest} from './classify-change.ts'
import type {GateRequest} from './gate-request.ts'
import type {Provenance} from './ports.ts'
import {isOfOurMaking} from './provenance.ts'

/** A plugin's view, which can only be the stricter one. It may throw, with the plugin's name. */
export interface ClassRule {
  (request: GateRequest): GateClass | undefined | Promise<GateClass | undefined>
  /** For those who wonder what wants a signature: `the rule prod-stop of the plugin felhom-plugin-x`. */
  readonly label?: string
}

export interface Circumstances {
  readonly provenance?: Provenance
}

/** Every rule is asked, whatever the others say: one that fails lets nothing pass. */
export async function applyRules(
  own: GateClass,
  rules: readonly ClassRule[],
  request: GateRequest,
): Promise<{readonly class: GateClass; readonly raisedBy?: string}> {
  let raisedBy: string | undefined
  for (const rule of rules)
    if (((await rule(request)) ?? 'benign') !== 'benign') raisedBy ??= rule.label ?? 'a rule of a plugin'
  if (raisedBy === undefined || own === 'destructive') return {class: own}
  return {class: 'destructive', raisedBy}
}

/** What can be bound to one guest can lose nothing but what that guest holds: if we made it, that is ours. */
export function classifyAction(request: GateRequest, {provenance}: Circumstances = {}): GateClass {
  const own = classifyByLoss(request)
  if (own === 'benign' || !isOfOurMaking(request, provenance)) return own
  return 'unsupported' in bindAction(request.action, request.target, request.guest) ? own : 'benign'
}

function classifyByLoss({action, target, guest}: GateRequest): GateClass {
  if (action.class !== 'benign') return 'destructive'
  switch (action.type) {
    case 'start':
    case 'shutdown':
    case 'restart':
    case 'migrate':
    case 'resize':
      return 'benign'
    case 'set-config':
      return strictest(action.changes.map((change) => classifyChange(change, guest)))
    case 'create': {
      if (guest) return 'destructive'
      const {from, options} = action
      return strictest(options.map(({option, after}) => classAtCreation(target, from, option, after)))
    }
    default:
      return 'destructive'
  }
}
