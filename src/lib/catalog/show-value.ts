// A value as people read it: memory and disks with their units, free texts in quotes.
// The text is not escaped: whoever prints it does that.
import {volumeKey} from './merge-volume.ts'
import type {Option} from './option.ts'
import {indexFormat, type PropertyPart} from './property-format.ts'
import {parseProperties, printProperties} from './property-string.ts'
import {readSshKeys} from './ssh-keys.ts'
import {parseSizeBytes, showSize} from './sizes.ts'
import {parseNewVolume} from './volumes.ts'

const MEBIBYTE = 1024 ** 2

export function showValue(option: Option, text: string): string {
  if (!option.isComparable) return '(secret)'
  if (option.name === 'sshkeys') return quote(readSshKeys(text).join('\n'))
  if (option.format) return showProperties(option, text)
  if (option.type === 'boolean') return showFlag(text)
  if (option.unit === 'MiB') return showMebibytes(text)
  return option.type === 'string' && option.enum === undefined ? quote(text) : text
}

function showProperties(option: Option, text: string): string {
  const format = option.format ?? {}
  const parsed = parseProperties(format, text)
  if ('problem' in parsed) return quote(text)
  const {parts: known} = indexFormat(format)
  const shown = new Map([...parsed.parts].map(([name, value]) => [name, showPart(known.get(name), value)]))
  const size = option.isDisk ? shown.get('size') : undefined
  if (size !== undefined) shown.delete('size')
  if (option.isDisk) showNewVolume(volumeKey(option), shown)
  const printed = printProperties(format, shown)
  if (size === undefined) return printed
  return printed === '' ? size : `${printed} (${size})`
}

/** `local-lvm:8` is in GiB, which nobody can see. */
function showNewVolume(key: string, shown: Map<string, string>): void {
  const fresh = parseNewVolume(shown.get(key) ?? '')
  if (fresh && fresh.bytes > 0) shown.set(key, `${fresh.storage}:${showSize(fresh.bytes)}`)
}

function showPart(part: PropertyPart | undefined, value: string): string {
  if (part?.format === 'disk-size') {
    const bytes = parseSizeBytes(value)
    return bytes === undefined ? value : showSize(bytes)
  }
  return part?.unit === 'MiB' ? showMebibytes(value) : value
}

function showMebibytes(text: string): string {
  const amount = Number(text)
  return text.trim() !== '' && Number.isSafeInteger(amount) && amount > 0 ? showSize(amount * MEBIBYTE) : text
}

function showFlag(text: string): string {
  return text === '1' ? 'true' : text === '0' ? 'false' : text
}

function quote(text: string): string {
  return `"${text}"`
}
