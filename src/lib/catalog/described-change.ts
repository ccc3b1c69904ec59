// One change of one option, described for the tables that weigh it: what it does, which parts of the value
// differ, what its volumes are.
import type {ConfigTexts} from '../model/actual.ts'
import {findOption, type Option} from './option.ts'
import type {PropertyPart} from './property-format.ts'
import {parseProperties} from './property-string.ts'
import {readVolume, type VolumeReference} from './volume-reference.ts'

export type Verb = 'added' | 'changed' | 'removed'

/** What else decides about a change. Nothing is assumed in favour of a guest of which nothing is known. */
export interface GuestContext {
  readonly vmid?: number
  /** The other options of the guest, as it runs now. */
  readonly config?: ConfigTexts
}

/** The value before, or the value after. */
export interface Side {
  readonly text: string
  readonly parts: ReadonlyMap<string, string>
  /** Of a disk. */
  readonly volume?: VolumeReference
  /** A drive for media, not a disk. */
  readonly isMediumDrive: boolean
}

export interface DescribedChange {
  /** Where Proxmox stores it: of an alias the option that it stands for. */
  readonly option: Option
  readonly verb: Verb
  readonly before?: Side
  readonly after?: Side
  /** Names of the parts that differ. */
  readonly parts: ReadonlySet<string>
  /** False: a value is not what the catalog expects, so nobody can tell what the change does. */
  readonly isReadable: boolean
  readonly config: ConfigTexts
  readonly vmid?: number
}

export function describeChange(
  named: Option,
  before: string | undefined,
  after: string | undefined,
  {vmid, config = {}}: GuestContext,
): DescribedChange {
  const option = (named.isDisk && named.aliasOf && findOption(named.kind, named.aliasOf)) || named
  const old = readSide(option, before)
  const fresh = readSide(option, after)
  return {
    option,
    verb: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    ...(old && {before: old}),
    ...(fresh && {after: fresh}),
    parts: differingParts(option, old, fresh),
    isReadable:
      (old === undefined) === (before === undefined) && (fresh === undefined) === (after === undefined),
    config,
    ...(vmid === undefined ? {} : {vmid}),
  }
}

/** Undefined: there is no value, or it cannot be read. */
function readSide(option: Option, text: string | undefined): Side | undefined {
  if (text === undefined) return undefined
  if (!option.format) return {text, parts: new Map(), isMediumDrive: false}
  const parsed = parseProperties(option.format, text)
  if ('problem' in parsed) return undefined
  const {parts} = parsed
  const name = option.isDisk ? (parts.get('file') ?? parts.get('volume')) : undefined
  if (name === undefined) return option.isDisk ? undefined : {text, parts, isMediumDrive: false}
  const volume = readVolume(name)
  const isMediumDrive = parts.get('media') === 'cdrom' || volume.is === 'medium' || volume.is === 'cloudinit'
  return {text, parts, volume, isMediumDrive}
}

function differingParts(option: Option, old: Side | undefined, fresh: Side | undefined): Set<string> {
  const names = new Set([...(old?.parts.keys() ?? []), ...(fresh?.parts.keys() ?? [])])
  for (const name of names) {
    const part = option.format?.[name]
    const isNumber = part !== undefined && !('alias' in part) && isNumeric(part)
    if (isSame(old?.parts.get(name), fresh?.parts.get(name), isNumber)) names.delete(name)
  }
  return names
}

const isNumeric = ({type}: PropertyPart): boolean => type === 'integer' || type === 'number'

function isSame(a: string | undefined, b: string | undefined, isNumber: boolean): boolean {
  return a === b || (isNumber && a !== undefined && b !== undefined && Number(a) === Number(b))
}
