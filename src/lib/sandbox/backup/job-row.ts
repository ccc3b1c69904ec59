// A scheduled backup as its file reads back: flags and numbers are numbers, property strings are taken apart.
import {methodSchema} from '../schema/api-schema.ts'
import {parsePropertyString} from '../schema/property-string.ts'
import type {ScheduledBackup} from '../state.ts'

const PROPERTY_STRINGS: Record<string, string | undefined> = {
  fleecing: 'backup-fleecing',
  performance: 'backup-performance',
  'prune-backups': 'prune-backups',
}
const NUMERIC = new Set(['boolean', 'integer', 'number'])

export function jobRow({id, options}: ScheduledBackup): Record<string, unknown> {
  const row: Record<string, unknown> = {id, type: 'vzdump'}
  for (const [name, value] of Object.entries(options)) row[name] = asRead(name, value)
  return row
}

function asRead(name: string, value: string | string[]): unknown {
  if (typeof value !== 'string') return value
  const format = PROPERTY_STRINGS[name]
  if (format !== undefined) return parsePropertyString(format, value)
  const type = methodSchema('/cluster/backup', 'POST')?.parameters.properties?.[name]?.type
  return type !== undefined && NUMERIC.has(type) ? Number(value) : value
}
