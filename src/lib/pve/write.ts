// The few calls that change something. Each leaves at most once; what it returns is the task that it started,
// or the word that the work is done, and what it throws says whether Proxmox can have carried it out.
import {DispatchError, type Executed} from '../model/dispatch-error.ts'
import {FelhomError} from '../model/felhom-error.ts'
import type {GuestAddress} from '../model/guest.ts'
import type {Upid} from '../model/upid.ts'
import {readDispatched} from './answers.ts'
import type {Mutation, WriteConnection} from './connection.ts'
import {guestPath, type Params} from './paths.ts'

/** A task is no success: it has to be awaited, and must end in OK or WARNINGS. */
export type Dispatched = {readonly kind: 'task'; readonly upid: Upid} | {readonly kind: 'done'}

export interface ConfigChange {
  readonly set: Readonly<Record<string, string>>
  readonly delete: readonly string[]
  /** Of the config that the change was made for; Proxmox refuses the write if another stands there now. */
  readonly digest: string
}

export interface ShutdownOptions {
  readonly timeoutSeconds?: number
  /** Hard stop after the time-out. */
  readonly force?: boolean
}

export interface Writer {
  start(guest: GuestAddress): Promise<Dispatched>
  stop(guest: GuestAddress): Promise<Dispatched>
  shutdown(guest: GuestAddress, options?: ShutdownOptions): Promise<Dispatched>
  reboot(guest: GuestAddress, options?: Pick<ShutdownOptions, 'timeoutSeconds'>): Promise<Dispatched>
  setConfig(guest: GuestAddress, change: ConfigChange): Promise<Dispatched>
}

export function createWriter(connection: WriteConnection): Writer {
  const power = (guest: GuestAddress, verb: string, params: Params = {}): Promise<Dispatched> =>
    dispatch(connection, () => ({
      method: 'POST',
      path: guestPath(guest, 'status', verb),
      node: guest.node,
      params,
      synchronous: false,
    }))
  return {
    start: (guest) => power(guest, 'start'),
    stop: (guest) => power(guest, 'stop'),
    shutdown: (guest, {timeoutSeconds, force = false} = {}) =>
      power(guest, 'shutdown', {timeout: timeoutSeconds, forceStop: force ? 1 : undefined}),
    reboot: (guest, {timeoutSeconds} = {}) => power(guest, 'reboot', {timeout: timeoutSeconds}),
    setConfig: (guest, change) => dispatch(connection, () => configMutation(guest, change)),
  }
}

/** Both kinds take a synchronous PUT. */
function configMutation(guest: GuestAddress, change: ConfigChange): Mutation {
  // To Proxmox an empty digest means "no check", and an empty change is an error: neither may leave.
  if (change.digest === '') throw refused('a config change without the digest of what it changes')
  if (Object.keys(change.set).length + change.delete.length === 0) throw refused('an empty config change')
  return {
    method: 'PUT',
    path: guestPath(guest, 'config'),
    node: guest.node,
    params: {
      ...change.set,
      delete: change.delete.length > 0 ? change.delete.join(',') : undefined,
      digest: change.digest,
    },
    synchronous: true,
    secrets: secretValues(change.set),
  }
}

const SECRET_OPTIONS = ['password', 'cipassword']

const secretValues = (set: ConfigChange['set']): string[] =>
  SECRET_OPTIONS.flatMap((option) => {
    const value = set[option]
    return value === undefined ? [] : [value]
  })

const refused = (what: string): FelhomError =>
  new FelhomError('unexpected', `${what} was about to be sent`, {doubt: 'No request was sent.'})

async function dispatch(connection: WriteConnection, prepare: () => Mutation): Promise<Dispatched> {
  const mutation = asDispatchError('no', prepare)
  const {data} = await connection.mutate(mutation)
  return asDispatchError('ambiguous', () => {
    const upid = readDispatched(data)
    return upid ? {kind: 'task', upid} : {kind: 'done'}
  })
}

function asDispatchError<T>(executed: Executed, step: () => T): T {
  try {
    return step()
  } catch (cause) {
    if (!(cause instanceof FelhomError)) throw cause
    throw new DispatchError(cause.code, cause.message, executed, {cause})
  }
}
