// What was told already and what has not arrived yet, kept in the state directory: a daemon that starts again, or one
// that cron starts each time, tells nothing twice and loses nothing. It is a convenience: a file that cannot be read is
// begun anew, and then all that stands is told again.
import {readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {ALERT_KINDS, type Alert} from '../../model/daemon.ts'
import {GUEST_KINDS, type GuestId} from '../../model/guest.ts'
import {replaceFile} from '../../store/replace-file.ts'
import {NOTHING_TOLD, type AlertMemory, type OpenAlert} from './find-alerts.ts'
import type {Scrub} from './scrub-secrets.ts'
import type {PendingAlert} from './webhook.ts'

export interface KeptAlerts {
  readonly memory: AlertMemory
  readonly pending: readonly PendingAlert[]
}

const VERSION = 1
const MOST_BYTES = 16 * 1024 * 1024

export const alertsFile = (state: string): string => join(state, 'alerts.json')

export const saveAlerts = (path: string, kept: KeptAlerts, scrub: Scrub): void => {
  replaceFile(path, `${scrub(JSON.stringify({version: VERSION, ...kept}))}\n`)
}

export function loadAlerts(path: string, warn: (text: string) => void): KeptAlerts {
  try {
    if (statSync(path).size > MOST_BYTES) throw new Error('it is too long')
    return decode(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException
    if (code !== 'ENOENT')
      warn(`${path} cannot be used (${code ?? message}): what was told already is told again`)
    return {memory: NOTHING_TOLD, pending: []}
  }
}

function decode(value: unknown): KeptAlerts {
  const {version, memory, pending} = object(value)
  if (version !== VERSION) throw new Error('it is of another version')
  const {open, jobs, neverGoodSinceMs} = object(memory)
  return {
    memory: {
      open: Object.fromEntries(Object.entries(object(open)).map(([key, each]) => [key, decodeOpen(each)])),
      jobs: list(jobs).map(text),
      ...(neverGoodSinceMs !== undefined && {neverGoodSinceMs: number(neverGoodSinceMs)}),
    },
    pending: list(pending).map((each) => {
      const {id, atMs, alert} = object(each)
      return {id: text(id), atMs: number(atMs), alert: decodeAlert(alert)}
    }),
  }
}

function decodeOpen(value: unknown): OpenAlert {
  const fields = object(value)
  const {over, sinceMs} = fields
  return {...decodeCommon(fields), over: text(over), sinceMs: number(sinceMs)}
}

function decodeAlert(value: unknown): Alert {
  const fields = object(value)
  const {key, state} = fields
  return {...decodeCommon(fields), key: text(key), state: oneOf(['began', 'over'] as const, state)}
}

function decodeCommon(fields: Record<string, unknown>): Pick<Alert, 'kind' | 'guest' | 'text'> {
  const {kind, guest, text: words} = fields
  return {
    kind: oneOf(ALERT_KINDS, kind),
    ...(guest !== undefined && {guest: decodeGuest(guest)}),
    text: text(words),
  }
}

function decodeGuest(value: unknown): GuestId {
  const {kind, vmid} = object(value)
  return {kind: oneOf(GUEST_KINDS, kind), vmid: number(vmid)}
}

function object(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new Error('its shape is not ours')
}

function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw new Error('its shape is not ours')
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw new Error('its shape is not ours')
}

function number(value: unknown): number {
  if (typeof value === 'number') return value
  throw new Error('its shape is not ours')
}

function oneOf<T extends string>(values: readonly T[], value: unknown): T {
  const found = values.find((each) => each === value)
  if (found === undefined) throw new Error('its shape is not ours')
  return found
}
