// The effective settings as rows to show: every key of the table, set or not, with its origin in words.
import {definitions} from '../settings/definitions.ts'
import type {LoadedSettings} from '../settings/load-settings.ts'
import type {Origin} from '../settings/settings.ts'
import {DEFAULT_CREDENTIAL, DEFAULT_VARIABLE} from './read-token.ts'

export interface SettingRow {
  key: string
  /** As it takes effect: paths absolute. null: not set. */
  value: unknown
  /** As text for a person, in the form it would have in the file. */
  text: string
  origin: string
}

/** Where a token is looked for when no setting says where. */
const TOKEN_DEFAULTS = new Map([
  ['token.credential', DEFAULT_CREDENTIAL],
  ['token.env', DEFAULT_VARIABLE],
])

export function describeSettings(entries: LoadedSettings['entries']): SettingRow[] {
  const hasToken = [...entries.keys()].some((key) => key.startsWith('token.'))
  return definitions.map(({key}) => {
    const entry = entries.get(key)
    const fallback = hasToken ? undefined : TOKEN_DEFAULTS.get(key)
    if (!entry && fallback !== undefined) return {key, value: fallback, text: fallback, origin: 'default'}
    if (!entry) return {key, value: null, text: '', origin: 'not set'}
    const isPath = typeof entry.value === 'string' && typeof entry.written === 'string'
    const text = isPath ? String(entry.value) : showValue(key === 'desired' ? entry.value : entry.written)
    return {key, value: entry.value, text, origin: describeOrigin(entry.origin)}
  })
}

function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : value.map(showValue).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function describeOrigin(origin: Origin): string {
  switch (origin.from) {
    case 'flag':
      return `flag ${origin.name}`
    case 'env':
      return `environment ${origin.name}`
    case 'file':
      return origin.line === undefined ? origin.file : `${origin.file}:${String(origin.line)}`
    case 'default':
      return 'default'
  }
}
