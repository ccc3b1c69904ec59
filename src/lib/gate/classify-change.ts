// What one change of an option can lose, weighed anew from the live guest and the catalog.
import {findOption} from '../catalog/option.ts'
import {weighChange} from '../catalog/weigh-change.ts'
import type {ActualGuest} from '../model/actual.ts'
import type {GateClass, OptionChange} from '../model/plan.ts'

export const strictest = (classes: readonly GateClass[]): GateClass =>
  classes.every((one) => one === 'benign') ? 'benign' : 'destructive'

export function classifyChange(
  {option: name, after}: OptionChange,
  guest: ActualGuest | undefined,
): GateClass {
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
