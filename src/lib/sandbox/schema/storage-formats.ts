// Formats of storages, volumes and backup jobs.
import {addressFormats, byPattern, IPV4, IPV6, isHost} from './address-formats.ts'
import {FormatError, refuse, type FormatCheck} from './format-error.ts'
import {perlRegex} from './perl-regex.ts'
import {parseSize} from './sizes.ts'
import {dropTrailing, splitList} from './split-list.ts'

const CONTENT = new Set(['images', 'rootdir', 'vztmpl', 'iso', 'backup', 'snippets', 'none', 'import'])
const ID_REGEX = perlRegex('[a-z][a-z0-9\\-\\_\\.]*[a-z0-9]', {whole: true, ignoreCase: true})
const VOLUME_REGEX = perlRegex('([a-z][a-z0-9\\-\\_\\.]*[a-z0-9]):(.+)', {whole: true, ignoreCase: true})
const LVM_REGEX = perlRegex('[a-z0-9][a-z0-9\\-\\_\\.]*[a-z0-9]', {whole: true, ignoreCase: true})
const HOST = '[\\p{Alphabetic}\\p{Nd}\\-.]+'
const PORTALS = [
  new RegExp(`^(?:${IPV4}|${HOST})(?::\\p{Nd}+)?\\n?$`, 'u'),
  new RegExp(`^\\[(?:${IPV6}|${IPV4}|${HOST})\\](?::\\p{Nd}+)?\\n?$`, 'u'),
  new RegExp(`^${IPV6}(?:\\.\\p{Nd}+)?\\n?$`, 'u'),
]

function checkStorageId(id: string): void {
  if (id.length < 2) refuse(`storage ID '${id}' cannot be shorter than 2 characters`)
  if (!ID_REGEX.test(id)) refuse(`storage ID '${id}' contains illegal characters`)
}

function checkVolumeId(volid: string): void {
  if (!VOLUME_REGEX.test(volid)) refuse(`unable to parse volume ID '${volid}'`)
}

function checkVolumeOrPath(value: string): void {
  if (!value.startsWith('/')) checkVolumeId(value)
}

function checkContent(value: string): void {
  if (!CONTENT.has(value)) refuse(`invalid content type '${value}'`)
}

function checkDirOverride(value: string): void {
  const match = /^([a-z]+)=([^.]*(?:\.?[^.]+)+)\n?$/.exec(value)
  if (match) {
    checkContent(match[1] ?? '')
    const path = match[2] ?? ''
    if (path.length < 1023 && path.split('/').every((part) => part.length < 255)) return
  }
  refuse(`invalid override '${value}'`)
}

/** `a:b` pairs and one default; every id has the given format. */
function checkPairs(check: FormatCheck): FormatCheck {
  return (value) => {
    if (value === '0') return
    try {
      checkEntries(splitList(value), check)
    } catch (error) {
      if (error instanceof FormatError) refuse(error.message)
      throw error
    }
  }
}

function checkEntries(entries: string[], check: FormatCheck): void {
  const sources = new Set<string>()
  let [identity, fallback] = [false, false]
  for (const entry of entries) {
    const pair = /^([^:]+):([^:]+)\n?$/.exec(entry)
    if (entry === '1') {
      identity = true
    } else if (pair) {
      const source = pair[1] ?? ''
      checkEntry(entry, [source, pair[2] ?? ''], check)
      if (sources.has(source)) refuse(`duplicate mapping for source '${source}'`)
      sources.add(source)
    } else {
      checkEntry(entry, [entry], check)
      if (fallback) refuse('default target ID can only be provided once')
      fallback = true
    }
  }
  if (identity && (fallback || sources.size > 0)) {
    refuse('identity mapping cannot be combined with other mappings')
  }
}

function checkEntry(entry: string, ids: string[], check: FormatCheck): void {
  try {
    ids.forEach((id) => check(id))
  } catch (error) {
    if (error instanceof FormatError) refuse(`entry '${entry}' contains invalid ID - ${error.message}`)
    throw error
  }
}

const WEEKDAY = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*'
const NUMBERS = '(?:\\*|\\d+(?:\\.\\.\\d+)?)(?:/\\d+)?'
const LIST = `${NUMBERS}(?:,${NUMBERS})*`
const CALENDAR = new RegExp(
  [
    '^(?:(?:minutely|hourly|daily|weekly|monthly|yearly|annually|quarterly|semiannually|semi-annually)|',
    `(?:${WEEKDAY}(?:\\.\\.${WEEKDAY})?(?:,${WEEKDAY}(?:\\.\\.${WEEKDAY})?)*\\s*)?`,
    `(?:(?:${LIST}-)?${LIST}-${LIST}\\s*)?`,
    `(?:${LIST}(?::${LIST}){0,2})?)$`,
  ].join(''),
  'i',
)

function checkCalendarEvent(value: string): void {
  const event = value.trim()
  const wrong =
    event === '' ? 'unable to parse calendar event - event is empty' : 'unable to parse calendar event'
  if (event === '' || !CALENDAR.test(event)) refuse(`invalid calendar event '${value}' - ${wrong}\n`)
}

export const storageFormats: Record<string, FormatCheck> = {
  'pve-storage-id': checkStorageId,
  'pve-volume-id': checkVolumeId,
  'pve-volume-id-or-absolute-path': checkVolumeOrPath,
  'pve-volume-id-or-qm-path': (value) => {
    if (value !== 'none' && value !== 'cdrom') checkVolumeOrPath(value)
  },
  'pve-storage-content': checkContent,
  'pve-storage-path': (value) => {
    if (!/^\/[^;()]+/.test(value)) refuse('value does not look like a valid absolute path')
  },
  'pve-storage-server': (value) => {
    if (!isHost(value)) refuse('value does not look like a valid server name or IP address')
  },
  'pve-storage-vgname': (value) => {
    if (!LVM_REGEX.test(value)) refuse(`lvm name '${value}' contains illegal characters`)
  },
  'pve-storage-portal-dns': (value) => {
    if (!PORTALS.some((portal) => portal.test(value))) {
      refuse('value does not look like a valid portal address')
    }
  },
  'pve-storage-options': (value) => {
    if (!/^\S+\n?$/.test(value)) refuse(`invalid options '${value}'`)
  },
  'pve-dir-override': checkDirOverride,
  'storage-pair': checkPairs(checkStorageId),
  'bridge-pair': checkPairs((value) => addressFormats['pve-bridge-id']?.(value)),
  'disk-size': (value) => {
    if (parseSize(value) === undefined) refuse(`value does not look like a valid disk size: ${value}`)
  },
  'pve-calendar-event': checkCalendarEvent,
  'pve-day-of-week': (value) => {
    if (!/^(?:mon|tue|wed|thu|fri|sat|sun)\n?$/.test(value)) refuse(`invalid day '${value}'`)
  },
  'pve-ha-resource-id': byPattern('[a-z]+:\\S+', 'value does not look like a valid ha resource id'),
  'pve-ha-resource-or-vm-id': byPattern(
    '([a-z]+:\\S+|\\d+)',
    'value does not look like a valid ha resource id',
  ),
  'pve-ha-node': byPattern(
    '([a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?)(:\\d+)?',
    'value does not look like a valid ha node',
  ),
  'pve-poolid': (value) => {
    if (dropTrailing(value.split('/')).length > 3) {
      refuse(`pool name '${value}' nested too deeply (max levels = 3)`)
    }
    if (!/^[A-Za-z0-9.\-_]+(?:\/[A-Za-z0-9.\-_]+){0,2}\n?$/.test(value)) {
      refuse(`pool name '${value}' contains invalid characters`)
    }
  },
}
