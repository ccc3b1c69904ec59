// Compares every option that was written with what the guest has, and sorts the differences by the way they
// are carried out: written to the config, grown by a resize, or impossible.
import {compareOption, isSameValue} from '../catalog/compare-option.ts'
import {findOption, type Option} from '../catalog/option.ts'
import {separateSize} from '../catalog/separate-size.ts'
import {showSize} from '../catalog/sizes.ts'
import {REDACTED, valueAfterRestart, type ActualGuest, type KnownConfig} from '../model/actual.ts'
import type {DesiredGuest, DesiredOption} from '../model/desired.ts'
import type {OptionChange, PlanProblem} from '../model/plan.ts'
import {describeMissingParts} from './describe-missing-parts.ts'
import {describeNewDisk} from './describe-new-disk.ts'
import {isWaiting, weighOption, type WeighedChange} from './weigh-option.ts'

export type {WeighedChange} from './weigh-option.ts'

export interface Growth {
  readonly disk: string
  readonly fromBytes: number
  readonly toBytes: number
}

export interface OptionDifferences {
  readonly changes: readonly WeighedChange[]
  readonly growths: readonly Growth[]
  /** Managed options whose desired value is set already but waits for a restart; of a disk that grows, all but its size. */
  readonly waiting: readonly string[]
  readonly unchanged: number
  readonly problems: readonly PlanProblem[]
}

export function compareOptions(
  desired: DesiredGuest,
  guest: ActualGuest,
  config: KnownConfig,
): OptionDifferences {
  const changes: WeighedChange[] = []
  const growths: Growth[] = []
  const waiting: string[] = []
  const problems: PlanProblem[] = []
  let unchanged = 0
  for (const wanted of sortedOptions(desired)) {
    const option = findOption(desired.kind, wanted.name)
    if (!option) continue
    const before = valueAfterRestart(config, wanted.name)
    if (before === REDACTED) {
      problems.push(hidden(desired, wanted))
      continue
    }
    const {growth, problem, change} = compareOne(option, before, wanted, guest)
    if (problem) problems.push(nameGuest(desired, problem))
    if (growth) growths.push(growth)
    const unfinished = change && findUnfinished(option, change.change, wanted)
    if (unfinished) {
      problems.push(nameGuest(desired, unfinished))
      continue
    }
    if (change) changes.push(change)
    else if (!problem) {
      if (!growth) unchanged++
      if (isWaiting(option, config)) waiting.push(wanted.name)
    }
  }
  return {changes, growths, waiting, unchanged, problems}
}

const sortedOptions = (desired: DesiredGuest): DesiredOption[] =>
  [...desired.options.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))

const nameGuest = ({kind, vmid}: DesiredGuest, problem: PlanProblem): PlanProblem => ({
  ...problem,
  message: `${kind}/${vmid}: ${problem.message}`,
})

/** What was written of it does not suffice to make it: no place for a disk, a part that it cannot be without. */
function findUnfinished(
  option: Option,
  {before, after}: OptionChange,
  {place}: DesiredOption,
): PlanProblem | undefined {
  if (before !== undefined || after === undefined) return undefined
  const disk = option.isDisk ? describeNewDisk(option, after, undefined) : undefined
  if (disk && 'problem' in disk) return {code: 'no_volume', severity: 'error', message: disk.problem, place}
  const message = describeMissingParts(option, after)
  return message === undefined ? undefined : {code: 'part_missing', severity: 'error', message, place}
}

const hidden = (desired: DesiredGuest, wanted: DesiredOption): PlanProblem => ({
  code: 'value_hidden',
  severity: 'warning',
  message: `${wanted.name} of ${desired.kind}/${desired.vmid} was left out of the capture and cannot be compared`,
  place: wanted.place,
})

interface Difference {
  growth?: Growth
  problem?: PlanProblem
  change?: WeighedChange
}

/**
 * The size of a disk that exists is not an option to be written but a resize: larger grows it, smaller is an
 * error and never a replacement.
 */
function compareOne(
  option: Option,
  before: string | undefined,
  wanted: DesiredOption,
  guest: ActualGuest,
): Difference {
  // A secret is written at creation and never compared: there is nothing to compare it with.
  if (wanted.value.is === 'secret') return {}
  const comparison = compareOption(option, before, wanted.value)
  if (comparison.equal) return {}
  const {after, note} = comparison
  if (before === undefined || after === undefined)
    return {change: weighOption(option, before, after, note, guest)}
  const {resize, config} = separateSize(option, before, after)
  if (resize && resize.toBytes < resize.fromBytes) return {problem: shrink(option, resize, wanted)}
  return {
    ...(resize && {growth: {disk: option.name, ...resize}}),
    ...(!isSameValue(option, before, config) && {change: weighOption(option, before, config, note, guest)}),
  }
}

function shrink(
  option: Option,
  {fromBytes, toBytes}: Omit<Growth, 'disk'>,
  {place}: DesiredOption,
): PlanProblem {
  const message = `${option.name} is ${showSize(fromBytes)}, larger than the ${showSize(toBytes)} that are desired: a disk cannot shrink`
  return {code: 'disk_shrink', severity: 'error', message, place}
}
