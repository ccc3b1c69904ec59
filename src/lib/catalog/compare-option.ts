// Whether a guest already is as desired, option by option, and if not, what to send. This is the only place
// where two values are compared: a faithful round trip through Proxmox never looks like a difference.
import type {DesiredValue} from '../model/desired.ts'
import {generatedParts} from './generated-parts.ts'
import {mergeVolume, volumeKey} from './merge-volume.ts'
import {normaliseOption, normaliseParts} from './normalise-option.ts'
import {normalisePart} from './normalise-part.ts'
import type {Option} from './option.ts'
import {indexFormat, type PropertyFormat} from './property-format.ts'
import {parseProperties, type Parts, printProperties} from './property-string.ts'

export type Comparison =
  | {readonly equal: true}
  /** `after`: the text to send; undefined: the option is to be removed. */
  | {readonly equal: false; readonly after: string | undefined; readonly note?: string}

const EQUAL: Comparison = {equal: true}

/** Are these two live texts the same to Proxmox? */
export function isSameValue(option: Option, a: string | undefined, b: string | undefined): boolean {
  return a === b || normaliseOption(option, a) === normaliseOption(option, b)
}

/** A secret is never compared: what is read back says nothing about it. */
export function compareOption(option: Option, live: string | undefined, desired: DesiredValue): Comparison {
  switch (desired.is) {
    case 'secret':
      return EQUAL
    case 'removed':
      return compareRemoval(option, live)
    case 'text':
      return compareText(option, live, desired.text)
    case 'parts':
      return compareParts(option, live, desired.parts)
  }
}

function compareRemoval(option: Option, live: string | undefined): Comparison {
  const isSet = option.isComparable ? normaliseOption(option, live) !== undefined : live !== undefined
  return isSet ? {equal: false, after: undefined} : EQUAL
}

function compareText(option: Option, live: string | undefined, text: string): Comparison {
  if (!option.isComparable || text === live) return EQUAL
  const written = option.format ? parseProperties(option.format, text) : undefined
  if (!option.format || !written || 'problem' in written) {
    if (isSameValue(option, live, text)) return EQUAL
    return {equal: false, after: text.trim() === '' ? undefined : text}
  }
  const merged = new Map(written.parts)
  const known = readLive(option.format, live)
  for (const name of generatedParts(option)) {
    const value = known.get(name)
    if (value !== undefined && !merged.has(name) && !option.isDisk) merged.set(name, value)
  }
  return concludeParts(option, option.format, live, known, merged, written.parts)
}

function compareParts(
  option: Option,
  live: string | undefined,
  parts: ReadonlyMap<string, string | null>,
): Comparison {
  if (!option.format) return EQUAL
  const known = readLive(option.format, live)
  const merged = new Map(known)
  for (const [name, value] of parts) {
    if (value === null) removePart(option, merged, name)
    else setPart(option.format, known, merged, name, value)
    const rival = RIVALS[name]
    if (value !== null && rival !== undefined && !parts.has(rival)) merged.delete(rival)
  }
  return concludeParts(option, option.format, live, known, merged, parts)
}

function readLive(format: PropertyFormat, live: string | undefined): Parts {
  const parsed = live === undefined ? undefined : parseProperties(format, live)
  return parsed && 'parts' in parsed ? parsed.parts : new Map<string, string>()
}

/** What Proxmox generates cannot be taken away, only replaced. */
function removePart(option: Option, merged: Parts, name: string): void {
  if (!generatedParts(option).includes(name)) merged.delete(name)
}

/** Only one of each pair can be set. */
const RIVALS: Readonly<Record<string, string>> = {host: 'mapping', mapping: 'host', order: 'legacy'}

function setPart(
  format: PropertyFormat,
  known: ReadonlyMap<string, string>,
  merged: Parts,
  name: string,
  value: string,
): void {
  const part = indexFormat(format).parts.get(name) ?? {type: 'string'}
  const before = known.get(name)
  const isSame =
    before !== undefined && normalisePart(name, part, before) === normalisePart(name, part, value)
  merged.set(name, isSame ? before : value)
}

function concludeParts(
  option: Option,
  format: PropertyFormat,
  live: string | undefined,
  known: ReadonlyMap<string, string>,
  merged: Parts,
  written: ReadonlyMap<string, string | null>,
): Comparison {
  if (option.isDisk) mergeVolume(option, known, merged, written)
  if (isUntouched(known, merged)) return EQUAL
  const wanted = merged.size === 0 ? undefined : normaliseParts(option, format, merged)
  if (wanted === normaliseOption(option, live)) return EQUAL
  const after = merged.size === 0 ? undefined : printProperties(format, merged)
  const note = noteKept(option, known, merged, written)
  return {equal: false, after, ...(note === undefined ? {} : {note})}
}

/** Nothing that was written is another text than what is there: most of any cluster, so it must not cost much. */
const isUntouched = (known: ReadonlyMap<string, string>, merged: ReadonlyMap<string, string>): boolean =>
  known.size > 0 &&
  known.size === merged.size &&
  [...known].every(([name, value]) => merged.get(name) === value)

/** What was kept although it was not written. */
function noteKept(
  option: Option,
  known: ReadonlyMap<string, string>,
  merged: ReadonlyMap<string, string>,
  written: ReadonlyMap<string, string | null>,
): string | undefined {
  const silent = new Set(['type', 'size', volumeKey(option)])
  const kept = generatedParts(option).filter(
    (name) =>
      !silent.has(name) && known.has(name) && !written.has(name) && merged.get(name) === known.get(name),
  )
  return kept.length === 0 ? undefined : `${kept.join(' and ')} kept`
}
