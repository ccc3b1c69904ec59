// From what is planned to what is sent: the exact body of the request, what it replaces, and whose guest it is.
import {findOption} from '../catalog/option.ts'
import type {AuthorizedAction, AuthorizedJob} from '../gate/gate.ts'
import {valueAfterRestart, type ActualGuest} from '../model/actual.ts'
import {FelhomError} from '../model/felhom-error.ts'
import {GUEST_KINDS, type GuestAddress, type GuestKind} from '../model/guest.ts'
import {identifyGuest} from '../model/identity.ts'
import type {BeforeImage, Intent, OperationBody} from '../model/operation.ts'
import type {CreateOrigin, PlannedAction} from '../model/plan.ts'
import {diskSizeBytes} from './assess-operation.ts'
import {chooseAddresses} from './choose-addresses.ts'

/** `create` needs more than the plan says, and felhom moves no guests yet. */
type PlainAction = Exclude<PlannedAction, {type: 'create' | 'migrate'}>

export interface Circumstances {
  readonly op: string
  readonly run: string
  readonly name: string | undefined
  readonly knownTasks: readonly string[]
  /** Of a clone: where its source is. */
  readonly sourceNode?: string
  readonly atMs: number
  readonly randomHex: (digits: number) => string
}

/** Made from what the gate let pass, and from nothing else. */
export function toIntent(authorized: AuthorizedAction, circumstances: Circumstances): Intent {
  const {action, target, guest, key} = authorized
  const {op, run, name, knownTasks, atMs} = circumstances
  const config = guest?.config.known === true ? guest.config : undefined
  return {
    op,
    run,
    target: {kind: target.kind, vmid: target.vmid, node: target.node},
    ...(name !== undefined && {name}),
    body: takeBack(toBody(action, target, circumstances), guest),
    class: authorized.class,
    before: imageOf(action, guest),
    ...(config && {identity: identifyGuest(target, config.current), digest: config.digest}),
    knownTasks,
    ...(key !== undefined && {key}),
    atMs,
  }
}

/** Of a job that no plan holds; what it is about may be no guest. */
export function toJobIntent(
  {bound: {op: job, target, params}, key}: AuthorizedJob,
  {op, run, atMs}: Pick<Circumstances, 'op' | 'run' | 'atMs'>,
): Intent {
  const {vmid, node} = target
  const kind = GUEST_KINDS.find((one) => one === target.kind)
  return {
    op,
    run,
    target: {kind: kind ?? 'lxc', vmid, node},
    body: {type: 'job', job, params, ...(!kind && {of: target.kind})},
    class: 'destructive',
    before: {run: 'unknown', options: {}},
    knownTasks: [],
    key,
    atMs,
  }
}

function toBody(action: PlannedAction, target: GuestAddress, circumstances: Circumstances): OperationBody {
  if (action.type === 'create') return creationBody(action, target.kind, circumstances)
  if (action.type === 'migrate') throw new FelhomError('unexpected', 'felhom does not move guests yet')
  return plainBody(action)
}

export function plainBody(action: PlainAction): OperationBody {
  switch (action.type) {
    case 'set-config':
      return configBody(action)
    case 'resize':
      return {type: 'resize', disk: action.disk, toBytes: action.toBytes}
    case 'shutdown':
      return {type: 'shutdown', timeoutMs: action.timeoutMs, force: action.force}
    case 'snapshot-delete':
    case 'snapshot-rollback':
      return {type: action.type, snapshot: action.snapshot}
    case 'start':
    case 'restart':
    case 'destroy':
      return {type: action.type}
  }
}

function configBody({changes}: Extract<PlannedAction, {type: 'set-config'}>): OperationBody {
  const open = changes.filter(({secret}) => secret !== true)
  const secrets = changes.filter(({secret}) => secret === true).map(({option}) => option)
  return {
    type: 'set-config',
    set: textsOf(open),
    delete: open.filter(({after}) => after === undefined).map(({option}) => option),
    ...(secrets.length > 0 && {secrets}),
  }
}

/** Proxmox deletes no option of a container that only waits to be set: such a one is taken back. */
function takeBack(body: OperationBody, guest: ActualGuest | undefined): OperationBody {
  if (body.type !== 'set-config' || guest?.kind !== 'lxc' || !guest.config.known) return body
  const {current} = guest.config
  const revert = body.delete.filter((option) => current[option] === undefined)
  if (revert.length === 0) return body
  return {...body, delete: body.delete.filter((option) => !revert.includes(option)), revert}
}

const textsOf = (
  changes: readonly {readonly option: string; readonly after: string | undefined}[],
): Record<string, string> =>
  Object.fromEntries(
    changes.flatMap(({option, after}) => (after === undefined ? [] : [[option, after] as const])),
  )

/** Guests that it is made from, and that nobody may change meanwhile. */
export const sourcesOf = (action: PlannedAction): number[] =>
  action.type === 'create' && 'clone' in action.from ? [action.from.clone] : []

export const isCopy = (from: CreateOrigin): boolean => 'clone' in from || 'restore' in from

/** A copy has the addresses of its source, and takes its secrets once it is made. */
function creationBody(
  {from, options}: Extract<PlannedAction, {type: 'create'}>,
  kind: GuestKind,
  {randomHex, sourceNode}: Circumstances,
): OperationBody {
  const texts = textsOf(options.filter(({secret}) => secret !== true))
  const secrets = options.filter(({secret}) => secret === true).map(({option}) => option)
  if (isCopy(from)) {
    const place = sourceNode === undefined ? {} : {sourceNode}
    return {type: 'create', from, ...place, options: texts, secrets: [], marker: []}
  }
  return {type: 'create', from, ...chooseAddresses(kind, texts, randomHex), secrets}
}

/** What the action replaces, as the guest is now. */
function imageOf(action: PlannedAction, guest: ActualGuest | undefined): BeforeImage {
  const run = guest?.run ?? 'unknown'
  if (guest?.config.known !== true) return {run, options: {}}
  const {config, kind} = guest
  if (action.type === 'resize') {
    const sizeBytes = diskSizeBytes(valueAfterRestart(config, action.disk))
    return {run, options: {}, ...(sizeBytes !== undefined && {sizeBytes})}
  }
  if (action.type !== 'set-config') return {run, options: {}}
  // What cannot be read back is no image, and may stand for a secret.
  const readable = action.changes.filter(({option}) => findOption(kind, option)?.isComparable !== false)
  const values = readable.map(({option}) => [option, valueAfterRestart(config, option) ?? null] as const)
  return {run, options: Object.fromEntries(values)}
}

/** What the action replaces, as the plan saw it. */
export function plannedImage(action: PlannedAction): BeforeImage {
  if (action.type === 'resize') return {run: 'unknown', options: {}, sizeBytes: action.fromBytes}
  if (action.type !== 'set-config') return {run: 'unknown', options: {}}
  const values = action.changes.map(({option, before}) => [option, before ?? null] as const)
  return {run: 'unknown', options: Object.fromEntries(values)}
}
