// What was told already and what has not arrived yet, kept in the state directory: a daemon that starts again, or one
// that cron starts each time, tells nothing twice and loses nothing. It is a convenience: a file that cannot be read is
// begun anew, and then all that stands is told again.
import {join} from 'node:path'
import {ALERT_KINDS, type Alert} from '../../../model/daemon.ts'
import {replaceFile} from '../../../store/replace-file.ts'
import {NOTHING_TOLD, type AlertMemory, type OpenAlert} from './find-alerts.ts'
import {count, encodeKept, guestId, list, loadKept, object, oneOf, text} from '../kept-file.ts'
import type {Scrub} from './scrub-secrets.ts'
import type {PendingAlert} from './webhook.ts'

export interface KeptAlerts {
  readonly memory: AlertMemory
  readonly pending: readonly PendingAlert[]
}

export const alertsFile = (state: string): string => join(state, 'alerts.json')

export const saveAlerts = (path: string, kept: KeptAlerts, scrub: Scrub): void => {
  replaceFile(path, scrub(encodeKept(kept)))
}

export const loadAlerts = (path: string, warn: (text: string) => void): KeptAlerts =>
  loadKept(path, decode, 'what was told already is told again', warn) ?? {memory: NOTHING_TOLD, pending: []}

function decode({memory, pending}: Record<string, unknown>): KeptAlerts {
  const {open, jobs, neverGoodSinceMs, neverGoodSetBackToMs} = object(memory)
  return {
    memory: {
      open: Object.fromEntries(Object.entries(object(open)).map(([key, each]) => [key, decodeOpen(each)])),
      jobs: list(jobs).map(text),
      ...(neverGoodSinceMs !== undefined && {neverGoodSinceMs: count(neverGoodSinceMs)}),
      ...(neverGoodSetBackToMs !== undefined && {neverGoodSetBackToMs: count(neverGoodSetBackToMs)}),
    },
    pending: list(pending).map((each) => {
      const {id, atMs, alert} = object(each)
      return {id: text(id), atMs: count(atMs), alert: decodeAlert(alert)}
    }),
  }
}

function decodeOpen(value: unknown): OpenAlert {
  const fields = object(value)
  const {over, sinceMs} = fields
  return {...decodeCommon(fields), over: text(over), sinceMs: count(sinceMs)}
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
    ...(guest !== undefined && {guest: guestId(guest)}),
    text: text(words),
  }
}
