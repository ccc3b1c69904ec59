// Benign or destructive, weighed anew from the live guest and the catalog: what a plan says about itself counts
// only where it is the stricter. What is not known is destructive.
import {classAtCreation} from '../catalog/class-at-creation.ts'
import {findOption} from '../catalog/option.ts'
import {weighChange} from '../catalog/weigh-change.ts'
import type {ActualGuest} from '../model/actual.ts'
import type {GateClass, OptionChange} from '../model/plan.ts'
import {bindAction} from './bind-action.ts'
import type {GateRequest} from './gate-request.ts'
import type {Provenance} from './ports.ts'
import {isOfOurMaking} from './provenance.ts'

/** A plugin's view; the strictest counts. */
export type ClassRule = (request: GateRequest) => GateClass

export interface Circumstances {
  readonly provenance?: Provenance
  readonly rules?: readonly ClassRule[]
}

export function classifyAction(request: GateRequest, circumstances: Circumstances = {}): GateClass {
  const {rules = []} = circumstances
  return strictest([classifyByOrigin(request, circumstances), ...rules.map((rule) => rule(request))])
}

/** What can be bound to one guest can lose nothing but what that guest holds: if we made it, that is ours. */
function classifyByOrigin(request: GateRequest, {provenance}: Circumstances): GateClass {
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

const strictest = (classes: readonly GateClass[]): GateClass =>
  classes.every((one) => one === 'benign') ? 'benign' : 'destructive'

function classifyChange({option: name, after}: OptionChange, guest: ActualGuest | undefined): GateClass {
  const option = guest && findOption(guest.kind, name)
  if (!option || !guest.config.known) return 'destructive'
  const {current} = guest.config
  // A pending value is not in effect: what can be lost is what the guest has, or what waits to replace it.
  const waiting = guest.config.pending.find((change) => change.option === name)
  const befores = [current[name], ...(waiting ? [waiting.kind === 'set' ? waiting.value : undefined] : [])]
  const context = {vmid: guest.vmid, config: current}
  const run = guest.run === 'stopped' ? 'stopped' : 'running'
  return strictest(befores.map((before) => weighChange(option, before, after, run, context).class))
}
