// The whole value of an option in the one form in which it is compared. Two texts that Proxmox takes for the
// same have the same form; a value that says nothing beyond the default has none, like an option that is not set.
import {normaliseAddress} from './addresses.ts'
import type {Option} from './option.ts'
import {normalisePart, normaliseRanges, normaliseScalar, splitList} from './normalise-part.ts'
import {indexFormat, type PropertyFormat} from './property-format.ts'
import {parseProperties} from './property-string.ts'
import {readSmbiosTexts} from './smbios.ts'
import {readSshKeys} from './ssh-keys.ts'
import {optionDefault, partDefault, presenceCounts} from './value-defaults.ts'
import {impliesCdrom} from './volumes.ts'

export function normaliseOption(option: Option, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (option.format) {
    const parsed = parseProperties(option.format, text)
    return 'parts' in parsed ? normaliseParts(option, option.format, parsed.parts) : text.trim()
  }
  const normal = normalisePlain(option, text)
  if (normal === undefined || normal.trim() === '') return undefined
  const standard = optionDefault(option)
  return standard !== undefined && normal === normalisePlain(option, standard) ? undefined : normal
}

/** Options without parts that have a grammar of their own. */
function normalisePlain(option: Option, text: string): string | undefined {
  switch (option.name) {
    case 'description':
      // Proxmox ends a container's text with one line break, and takes all white space from the end of a VM's.
      return option.kind === 'lxc' ? text.replace(/\n+$/, '') : text.trimEnd()
    case 'tags':
      return [...new Set(splitList(text.toLowerCase()))].sort().join(';')
    case 'hotplug':
      return normaliseHotplug(option, text)
    case 'nameserver':
      return splitList(text).map(normaliseAddress).join(' ')
    case 'searchdomain':
      return splitList(text).join(' ')
    case 'affinity':
      return normaliseRanges(text)
    case 'sshkeys':
      return readSshKeys(text).join('\n')
    case 'vmgenid':
      return text === '0' ? undefined : text.toLowerCase()
    default:
      return normaliseScalar(
        {type: option.type, ...(option.textFormat ? {format: option.textFormat} : {})},
        text,
      )
  }
}

function normaliseHotplug(option: Option, text: string): string {
  const features = text.trim() === '1' ? String(option.default ?? '') : text
  return [...new Set(splitList(features))].sort().join(',')
}

/** Sorted, each in its comparable form, without those that are as if they were not written. */
export function normaliseParts(
  option: Option,
  format: PropertyFormat,
  given: ReadonlyMap<string, string>,
): string | undefined {
  const index = indexFormat(format)
  const lines: string[] = []
  for (const [name, value] of settleParts(option, given)) {
    const part = index.parts.get(name) ?? {type: 'string'}
    const normal = normalisePart(name, part, value)
    const standard = partDefault(option, name, part)
    const isStandard = standard !== undefined && normal === normalisePart(name, part, standard)
    if (!isStandard) lines.push(`${name}=${normal}`)
  }
  if (lines.length === 0 && !presenceCounts(option)) return undefined
  return lines.sort().join('\n')
}

/** What some parts say about others. */
function settleParts(option: Option, given: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (option.name === 'smbios1') return readSmbiosTexts(given)
  if (option.name === 'boot' && given.has('order')) {
    return new Map([...given].filter(([name]) => name !== 'legacy'))
  }
  if (option.isDisk && !given.has('media') && impliesCdrom(given.get('file'))) {
    return new Map([...given, ['media', 'cdrom']])
  }
  return given
}
