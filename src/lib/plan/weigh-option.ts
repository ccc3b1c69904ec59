// A change of one option as the plan shows it: its cost, its class, what it needs, and which parts of it differ.
import {isSameValue} from '../catalog/compare-option.ts'
import type {Option} from '../catalog/option.ts'
import type {PropertyFormat} from '../catalog/property-format.ts'
import {parseProperties} from '../catalog/property-string.ts'
import {weighChange} from '../catalog/weigh-change.ts'
import {valueAfterRestart, type ActualGuest, type KnownConfig} from '../model/actual.ts'
import type {Need, OptionChange, PartChange} from '../model/plan.ts'

export interface WeighedChange {
  readonly change: OptionChange
  readonly needs: readonly Need[]
}

export function weighOption(
  option: Option,
  before: string | undefined,
  after: string | undefined,
  comparisonNote: string | undefined,
  guest: ActualGuest,
): WeighedChange {
  const run = guest.run === 'stopped' ? 'stopped' : 'running'
  const context = {vmid: guest.vmid, ...(guest.config.known && {config: guest.config.current})}
  const {needs, note, sideEffects, ...weight} = weighChange(option, before, after, run, context)
  const remark = [comparisonNote, note].filter((text) => text !== undefined).join('; ')
  return {
    change: {
      option: option.name,
      before,
      after,
      ...weight,
      ...weighReplaced(option, after, run, guest),
      ...describeParts(option, before, after),
      ...(remark !== '' && {note: remark}),
      ...(sideEffects && sideEffects.length > 0 && {sideEffects}),
    },
    needs: needs(guest.vmid),
  }
}

/**
 * Where a value waits, it is from what the guest has that the change leads on: that can be lost too, and decides
 * whether a restart is needed. Back to what it has needs none: with the value that waits, the wait goes.
 */
function weighReplaced(
  option: Option,
  after: string | undefined,
  run: 'running' | 'stopped',
  {vmid, config}: ActualGuest,
): Partial<Pick<OptionChange, 'class' | 'impact'>> {
  if (!config.known || !isPending(config, option.name)) return {}
  const current = config.current[option.name]
  const weight = weighChange(option, current, after, run, {vmid, config: config.current})
  const isTakenBack = run === 'running' && isSameValue(option, current, after)
  return {
    ...(weight.class === 'destructive' && {class: 'destructive'}),
    impact: isTakenBack ? 'live' : weight.impact,
  }
}

/** Whether a restart would change it: what waits may be what the guest has already, in other words. */
export const isWaiting = (option: Option, config: KnownConfig): boolean =>
  isPending(config, option.name) &&
  !isSameValue(option, config.current[option.name], valueAfterRestart(config, option.name))

const isPending = (config: KnownConfig, name: string): boolean =>
  config.pending.some((change) => change.option === name)

/** Which parts of a property string differ, for the reader: the strings are long and the difference is small. */
function describeParts(
  option: Option,
  before: string | undefined,
  after: string | undefined,
): {parts?: PartChange[]} {
  if (!option.format || before === undefined || after === undefined) return {}
  const [old, fresh] = [before, after].map((text) => readParts(option.format ?? {}, text))
  if (!old || !fresh) return {}
  const names = [...new Set([...old.keys(), ...fresh.keys()])].sort()
  const parts = names
    .map((part) => ({part, before: old.get(part), after: fresh.get(part)}))
    .filter((change) => change.before !== change.after)
  return parts.length > 0 ? {parts} : {}
}

function readParts(format: PropertyFormat, text: string): ReadonlyMap<string, string> | undefined {
  const reading = parseProperties(format, text)
  return 'parts' in reading ? reading.parts : undefined
}
