// The knobs of the sandbox: POST /sandbox/control takes one JSON object.
import type {Cluster} from '../cluster.ts'
import type {Guest, Kind} from '../state.ts'

export class ControlError extends Error {}

type Json = Record<string, unknown>
type Apply = (cluster: Cluster, control: Json) => void

const CONTROLS: Record<string, {fields: string[]; apply: Apply}> = {
  hang: {fields: ['on'], apply: (c, x) => (guestOf(c, x['hang']).knobs.hang = flagOf(x, 'on'))},
  failStart: {
    fields: ['on'],
    apply: (c, x) => (guestOf(c, x['failStart']).knobs.failStart = flagOf(x, 'on')),
  },
  warnStart: {
    fields: ['on'],
    apply: (c, x) => (guestOf(c, x['warnStart']).knobs.warnStart = flagOf(x, 'on')),
  },
  lock: {fields: ['kind', 'vmid'], apply: setLock},
  configLockHeldSeconds: {fields: ['vmid'], apply: holdConfigLock},
  startDelaySeconds: {
    fields: [],
    apply: (c, x) => (c.state.knobs.startDelaySeconds = secondsOf(x, 'startDelaySeconds')),
  },
  stopDelaySeconds: {
    fields: [],
    apply: (c, x) => (c.state.knobs.stopDelaySeconds = secondsOf(x, 'stopDelaySeconds')),
  },
}

export function applyControl(cluster: Cluster, control: unknown): void {
  if (typeof control !== 'object' || control === null || Array.isArray(control)) {
    throw new ControlError('a control is a JSON object')
  }
  const json = control as Json
  const name = Object.keys(CONTROLS).find((key) => key in json)
  const known = name === undefined ? undefined : CONTROLS[name]
  if (name === undefined || !known) throw new ControlError(`unknown control: ${JSON.stringify(json)}`)
  for (const field of Object.keys(json)) {
    if (field !== name && !known.fields.includes(field)) throw new ControlError(`unknown field: ${field}`)
  }
  known.apply(cluster, json)
}

function guestOf(cluster: Cluster, vmid: unknown, kind?: Kind): Guest {
  const guest = typeof vmid === 'number' ? cluster.guest(vmid) : undefined
  if (!guest || (kind && guest.kind !== kind)) throw new ControlError(`no such guest: ${String(vmid)}`)
  return guest
}

function flagOf(control: Json, field: string): boolean {
  const value = control[field]
  if (typeof value !== 'boolean') throw new ControlError(`${field} is true or false`)
  return value
}

function secondsOf(control: Json, field: string): number {
  const value = control[field]
  if (typeof value !== 'number' || !(value >= 0)) throw new ControlError(`${field} is a number of seconds`)
  return value
}

function setLock(cluster: Cluster, control: Json): void {
  const guest = guestOf(cluster, control['vmid'], control['kind'] as Kind)
  const lock = control['lock']
  if (lock === null) delete guest.config['lock']
  else if (typeof lock === 'string') guest.config['lock'] = lock
  else throw new ControlError('lock is a name or null')
}

function holdConfigLock(cluster: Cluster, control: Json): void {
  const seconds = secondsOf(control, 'configLockHeldSeconds')
  guestOf(cluster, control['vmid']).knobs.configLockHeldUntilMs = cluster.clock.now() + seconds * 1000
}
