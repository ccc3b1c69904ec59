// A disk that is to be made: the text that Proxmox makes it from (`local-lvm:8`), or what is missing for that.
import type {Option} from '../catalog/option.ts'
import {volumeKey} from '../catalog/merge-volume.ts'
import {parseProperties, printProperties, type Parts} from '../catalog/property-string.ts'
import {parseSizeBytes} from '../catalog/sizes.ts'

export type NewDisk = {readonly text: string} | {readonly problem: string}

/** Proxmox decides how large these are, and wants a number all the same. */
const FIXED_SIZE: ReadonlySet<string> = new Set(['efidisk0', 'tpmstate0'])

/** `text` is what was written; `storage` is where it goes unless it says so itself. */
export function describeNewDisk(option: Option, text: string, storage: string | undefined): NewDisk {
  const format = option.format ?? {}
  const reading = parseProperties(format, text)
  const key = volumeKey(option)
  if (!('parts' in reading) || reading.parts.has(key)) return {text}
  const {parts} = reading
  if (parts.get('media') === 'cdrom') {
    return {problem: `${option.name} is a CD drive: write what is in it, such as 'file: none'`}
  }
  const amount = amountOf(option, parts)
  if (amount === undefined) {
    return {problem: `${option.name} does not exist and is to be made: write its size, such as 'size: 8GiB'`}
  }
  if (storage === undefined) {
    const example = `'${key}: local-lvm:${amount}'`
    return {problem: `${option.name} does not exist and is to be made: write on which storage (${example})`}
  }
  parts.delete('size')
  return {text: printProperties(format, new Map([[key, `${storage}:${amount}`], ...parts]))}
}

const MEBIBYTE = 1024 ** 2

/** In GiB, as Proxmox counts here; a size that is no whole MiB becomes the next one. */
function amountOf(option: Option, parts: Parts): string | undefined {
  if (parts.has('import-from')) return '0'
  if (FIXED_SIZE.has(option.name)) return '1'
  const bytes = parseSizeBytes(parts.get('size') ?? '')
  return bytes === undefined || bytes <= 0 ? undefined : String(Math.ceil(bytes / MEBIBYTE) / 1024)
}
