// Options as they were before a run: of each the oldest value that the run replaced, unless somebody has changed it
// since, nobody kept it, or it cannot be brought back.
import {compareOption, isSameValue} from '../catalog/compare-option.ts'
import {volumeKey} from '../catalog/merge-volume.ts'
import {findOption, type Option} from '../catalog/option.ts'
import {parseProperties, printProperties} from '../catalog/property-string.ts'
import {showValue} from '../catalog/show-value.ts'
import {parseNewVolume} from '../catalog/volumes.ts'
import {weighChange} from '../catalog/weigh-change.ts'
import {valueAfterRestart, type ActualGuest, type KnownConfig} from '../model/actual.ts'
import type {DesiredOption, DesiredValue, SourcePlace} from '../model/desired.ts'
import type {GuestKind} from '../model/guest.ts'
import type {Operation} from '../model/operation.ts'
import type {OwnRemark} from './plan-undo-remark.ts'

export const hasEffect = ({state}: Operation): boolean => state === 'succeeded' || state === 'satisfied'

/** What a run made of one option, from first to last. */
interface NetChange {
  readonly option: Option
  readonly before: string | undefined
  readonly after: string | undefined
}

interface NetChanges {
  readonly changes: readonly NetChange[]
  /** Written, and nobody knows what was there before. */
  readonly unkept: readonly string[]
  /** Of an older version of felhom, or of a newer one. */
  readonly unknown: readonly string[]
}

export interface OptionsBack {
  readonly wanted: ReadonlyMap<string, DesiredOption>
  readonly remarks: readonly OwnRemark[]
}

/** `operations`: those of one guest that had an effect, oldest first. */
export function undoOptions(
  operations: readonly Operation[],
  guest: ActualGuest,
  config: KnownConfig,
  place: SourcePlace,
): OptionsBack {
  const {changes, unkept, unknown} = netChanges(operations, guest.kind)
  const wanted = new Map<string, DesiredOption>()
  const remarks: OwnRemark[] = [...unkept.map(remarkOnSecret), ...unknown.map(remarkOnUnknown)]
  const changed = new Set(changes.map(({option}) => option.name))
  for (const change of changes) {
    const {name} = change.option
    const back = decide(change, guest, config)
    if (!back) continue
    if ('message' in back) remarks.push(back)
    else {
      wanted.set(name, {name, value: back, place})
      remarks.push(...remarkOnSideEffects(change, guest, config, changed))
    }
  }
  return {wanted, remarks}
}

export function netChanges(operations: readonly Operation[], kind: GuestKind): NetChanges {
  const ends = new Map<string, {before: string | null | undefined; after: string | undefined}>()
  const secrets = new Set<string>()
  for (const {intent} of operations) {
    const {body, before} = intent
    if (body.type !== 'set-config') continue
    for (const name of body.secrets ?? []) secrets.add(name)
    const removed = [...body.delete, ...(body.revert ?? [])].map(toRemoval)
    for (const [name, after] of [...Object.entries(body.set), ...removed]) {
      const known = ends.get(name)
      ends.set(name, {before: known ? known.before : before.options[name], after})
    }
  }
  const changes: NetChange[] = []
  const unknown: string[] = []
  for (const [name, {before, after}] of ends) {
    const option = findOption(kind, name)
    if (!option) unknown.push(name)
    else if (before === undefined || !option.isComparable) secrets.add(name)
    else if (!isSameValue(option, before ?? undefined, after))
      changes.push({option, before: before ?? undefined, after})
  }
  return {changes, unkept: [...secrets], unknown}
}

const toRemoval = (name: string): [string, undefined] => [name, undefined]

/** What is wanted instead, why not, or undefined: it is so already. */
function decide(
  change: NetChange,
  guest: ActualGuest,
  config: KnownConfig,
): DesiredValue | OwnRemark | undefined {
  const {option, before, after} = change
  const {name} = option
  const remark = (code: OwnRemark['code'], message: string): OwnRemark => ({code, subject: name, message})
  const now = valueAfterRestart(config, name)
  if (makesVolume(option, after)) return now === undefined ? undefined : remark('allocated', allocated(name))
  const {reversible, note} = weigh(change, guest, config)
  if (!reversible)
    return remark('irreversible', `${name} cannot be brought back${note === undefined ? '' : `: ${note}`}`)
  const wanted = toValue(option, before, now)
  if (compareOption(option, now, wanted).equal) return undefined
  if (!compareOption(option, now, toValue(option, after, now)).equal)
    return remark('changed_since', describeSince(option, now))
  return wanted
}

const allocated = (name: string): string =>
  `${name} came with a new volume, and taking it away could lose data: if that is meant, write '${name}: null', which needs a signature`

const LONG = 40

function describeSince(option: Option, now: string | undefined): string {
  if (now === undefined) return `${option.name} was removed since: left alone`
  const shown = showValue(option, now.trimEnd())
  const isShort = shown.length <= LONG && !shown.includes('\n')
  return `${option.name} was changed${isShort ? ` to ${shown}` : ''} since: left alone`
}

function makesVolume(option: Option, text: string | undefined): boolean {
  return option.isDisk && parseNewVolume(partsOf(option, text).get(volumeKey(option)) ?? '') !== undefined
}

/** A disk keeps the size that it has by now: that is never taken back. */
function toValue(option: Option, text: string | undefined, now: string | undefined): DesiredValue {
  if (text === undefined) return {is: 'removed'}
  const parts = partsOf(option, text)
  const key = volumeKey(option)
  const isSameVolume = parts.get(key) === partsOf(option, now).get(key)
  if (!option.isDisk || !option.format || !parts.has('size') || !isSameVolume) return {is: 'text', text}
  parts.delete('size')
  return {is: 'text', text: printProperties(option.format, parts)}
}

function partsOf(option: Option, text: string | undefined): Map<string, string> {
  const reading = option.format && text !== undefined ? parseProperties(option.format, text) : undefined
  return new Map(reading && 'parts' in reading ? reading.parts : [])
}

const weigh = (
  {option, before, after}: NetChange,
  {vmid, run}: ActualGuest,
  {current}: KnownConfig,
): ReturnType<typeof weighChange> =>
  weighChange(option, before, after, run === 'stopped' ? 'stopped' : 'running', {vmid, config: current})

/** The journal holds what an operation wrote, and not what Proxmox made of its neighbours. */
function remarkOnSideEffects(
  change: NetChange,
  guest: ActualGuest,
  config: KnownConfig,
  changed: ReadonlySet<string>,
): OwnRemark[] {
  const others = (weigh(change, guest, config).sideEffects ?? []).filter(
    (option) => !option.endsWith('[n]') && !changed.has(option),
  )
  if (others.length === 0) return []
  const {name} = change.option
  const message = `with ${name} Proxmox may have changed ${others.join(', ')} too: look at it, it is left alone`
  return [{code: 'side_effect', subject: name, message}]
}

const remarkOnSecret = (name: string): OwnRemark => ({
  code: 'secret',
  subject: name,
  message: `${name} is a secret: what it was before is not kept`,
})

const remarkOnUnknown = (name: string): OwnRemark => ({
  code: 'unknown_option',
  subject: name,
  message: `${name} is an option that this version of felhom does not know`,
})
