// A property string as the map that a person would write: without what Proxmox generates itself, because a map
// leaves alone what it does not name.
import {generatedParts} from '../../catalog/generated-parts.ts'
import {volumeKey} from '../../catalog/merge-volume.ts'
import type {Option} from '../../catalog/option.ts'
import {indexFormat, type PropertyFormat, type PropertyPart} from '../../catalog/property-format.ts'
import {parseBoolean, parseProperties} from '../../catalog/property-string.ts'
import {parseSizeBytes, showSize} from '../../catalog/sizes.ts'
import {readVolume} from '../../catalog/volume-reference.ts'
import type {PlainValue} from '../../yaml/write-yaml.ts'
import {sortParts} from './import-order.ts'

type Parts = ReadonlyMap<string, string>

/** Forms of the value, the most readable first. */
export function describeProperties(
  option: Option,
  format: PropertyFormat,
  text: string,
  vmid: number,
): PlainValue[] {
  const parsed = parseProperties(format, text)
  if ('problem' in parsed) return []
  const chosen = option.isDisk
    ? [describeVolume(option, parsed.parts, vmid), withoutVolume(option, parsed.parts)]
    : [withoutGenerated(option, parsed.parts)]
  return chosen.filter((parts) => parts.size > 0).map((parts) => toPlain(option, format, parts))
}

/** Whether there is nothing in it but what Proxmox has generated. */
export function isGenerated(option: Option, text: string): boolean {
  if (!option.format || option.isDisk) return false
  const parsed = parseProperties(option.format, text)
  return 'parts' in parsed && withoutGenerated(option, parsed.parts).size === 0
}

function withoutGenerated(option: Option, parts: Parts): Parts {
  const generated = generatedParts(option)
  return new Map([...parts].filter(([name]) => !generated.includes(name)))
}

const withoutVolume = (option: Option, parts: Parts): Parts =>
  new Map([...parts].filter(([name]) => name !== volumeKey(option)))

/** Proxmox decides how large these are. */
const FIXED_SIZE: ReadonlySet<string> = new Set(['efidisk0', 'tpmstate0'])

/** A volume of the guest's own goes by its size; a medium, a device or a path of the host by its name. */
function describeVolume(option: Option, parts: Parts, vmid: number): Parts {
  const key = volumeKey(option)
  const chosen = new Map(parts)
  const volume = readVolume(parts.get(key) ?? '')
  if (volume.is === 'stored' && volume.owner === vmid) chosen.delete(key)
  if (volume.is === 'cloudinit') chosen.set(key, `${volume.storage}:cloudinit`)
  if (volume.is === 'cloudinit' || volume.is === 'medium' || FIXED_SIZE.has(option.name))
    chosen.delete('size')
  return chosen
}

function toPlain(option: Option, format: PropertyFormat, parts: Parts): PlainValue {
  const {parts: known, defaultKey} = indexFormat(format)
  const entries = sortParts(parts).map(([name, text]) => [name, toPlainPart(known.get(name), text)] as const)
  const [first, ...more] = entries
  const isBare = first?.[0] === defaultKey && more.length === 0 && !option.isDisk
  return isBare && first && !NAMED.has(option.name) ? first[1] : Object.fromEntries(entries)
}

/** A bare number would not tell what it is. */
const NAMED: ReadonlySet<string> = new Set(['startup'])

function toPlainPart(part: PropertyPart | undefined, text: string): PlainValue {
  if (part?.type === 'boolean') return parseBoolean(text) ?? text
  if (part?.format === 'disk-size') return toPlainSize(text)
  if (part?.unit === 'MiB') return toPlainMebibytes(text)
  const items = part?.separator === undefined ? [text] : text.split(part.separator)
  const [only, ...more] = items.map(toPlainNumber)
  return more.length === 0 && only !== undefined ? only : items.map(toPlainNumber)
}

function toPlainSize(text: string): PlainValue {
  const bytes = parseSizeBytes(text)
  return bytes === undefined || bytes === 0 ? text : showSize(bytes)
}

const MEBIBYTE = 1024 ** 2

export function toPlainMebibytes(text: string): PlainValue {
  const amount = toPlainNumber(text)
  return Number.isSafeInteger(amount) && Number(amount) > 0 ? showSize(Number(amount) * MEBIBYTE) : amount
}

/** As a number only where nothing is lost: `0660` stays what it is. */
export function toPlainNumber(text: string): string | number {
  const number = Number(text)
  return /^-?[\d.]+$/.test(text) && Number.isFinite(number) && String(number) === text ? number : text
}
