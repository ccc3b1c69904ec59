// An action in the words that a signature is bound to. What has no such words, or touches more than one thing that can
// be lost, cannot be signed for: it is refused whatever is signed.
import {createHash} from 'node:crypto'
import {findOption, type Option} from '../catalog/option.ts'
import {operationOfChange} from '../catalog/operation-of-change.ts'
import {parseProperties} from '../catalog/property-string.ts'
import type {ActualGuest, KnownConfig} from '../model/actual.ts'
import type {BoundAction, SignedOperation, StatementTarget} from '../model/approval.ts'
import type {GuestAddress} from '../model/guest.ts'
import {identifyGuest} from '../model/identity.ts'
import type {ActionBody, OptionChange} from '../model/plan.ts'
import {classifyChange} from './classify-change.ts'
import {identityDigest} from './digests.ts'

export interface Unsupported {
  /** One clause: why no signature can allow it. */
  readonly unsupported: string
}

type Words = Pick<BoundAction, 'op' | 'params'>

export function bindAction(
  action: ActionBody,
  address: GuestAddress,
  guest: ActualGuest | undefined,
): BoundAction | Unsupported {
  const target = bindTarget(address, guest)
  if ('unsupported' in target) return target
  const words = wordAction(action, target.config, address, guest)
  return 'unsupported' in words ? words : {...words, target: target.bound}
}

function bindTarget(
  {kind, vmid, node}: GuestAddress,
  guest: ActualGuest | undefined,
): {readonly bound: StatementTarget; readonly config: KnownConfig} | Unsupported {
  if (!guest) return {unsupported: 'there is no such guest'}
  if (guest.kind !== kind || guest.vmid !== vmid || guest.node !== node)
    return {unsupported: 'it is another guest than the one that was read'}
  const {config} = guest
  if (!config.known) return {unsupported: `its config could not be read: ${config.reason}`}
  const identity = identifyGuest({kind, vmid}, config.current)
  if (identity.ids.length === 0)
    return {unsupported: 'nothing in its config tells it from another guest of the same number'}
  return {bound: {kind, node, vmid, identity: identityDigest(identity)}, config}
}

function wordAction(
  action: ActionBody,
  config: KnownConfig,
  address: GuestAddress,
  guest: ActualGuest | undefined,
): Words | Unsupported {
  switch (action.type) {
    case 'destroy':
      return {op: 'guest.destroy', params: {purge: true}}
    case 'snapshot-delete':
      return {op: 'snapshot.delete', params: {snapshot: action.snapshot}}
    case 'snapshot-rollback':
      return {op: 'snapshot.rollback', params: {snapshot: action.snapshot}}
    case 'set-config':
      return isHarmless(action.changes, guest)
        ? wordHarmless(action)
        : wordChanges(action.changes, config, address)
    case 'start':
    case 'shutdown':
    case 'restart':
    case 'resize':
      return wordHarmless(action)
    default:
      return {unsupported: `no operation that can be signed for does what ${action.type} does here`}
  }
}

/** Nothing is lost by it; a rule wants a signature all the same. Its values may be long, so that they are digested. */
function wordHarmless(action: ActionBody): Words {
  const op = 'guest.change'
  switch (action.type) {
    case 'set-config': {
      const changes = [...action.changes].sort((a, b) => (a.option < b.option ? -1 : 1))
      const options = changes.map(({option}) => option)
      const values = digest(changes.map(({option, after}) => [option, after ?? null]))
      return {op, params: {action: action.type, options, values}}
    }
    case 'shutdown':
      // With the time goes when the plug is pulled, or whether it is left to end by itself.
      return {op, params: {action: action.type, force: action.force, timeout_ms: action.timeoutMs}}
    case 'resize':
      return {op, params: {action: action.type, disk: action.disk, to_bytes: action.toBytes}}
    default:
      return {op, params: {action: action.type}}
  }
}

/** What has an operation of its own is signed for under that alone. */
const isHarmless = (changes: readonly OptionChange[], guest: ActualGuest | undefined): boolean =>
  changes.length > 0 &&
  changes.every((change) => {
    const option = guest && findOption(guest.kind, change.option)
    const verb = change.after === undefined ? 'removed' : 'written'
    return option && !operationOfChange(option, verb) && classifyChange(change, guest) === 'benign'
  })

const digest = (value: unknown): string =>
  `sha256:${createHash('sha256').update(JSON.stringify(value)).digest('hex')}`

function wordChanges(
  changes: readonly OptionChange[],
  config: KnownConfig,
  {kind}: GuestAddress,
): Words | Unsupported {
  const [change, ...others] = changes
  if (!change || others.length > 0)
    return {unsupported: 'a change that can lose data must be the only one of its request'}
  const option = findOption(kind, change.option)
  const op = option && operationOfChange(option, change.after === undefined ? 'removed' : 'written')
  if (!op) return {unsupported: `no operation that can be signed for changes ${change.option} in this way`}
  return wordChange(op, option, change.after, config)
}

function wordChange(
  op: SignedOperation,
  option: Option,
  after: string | undefined,
  config: KnownConfig,
): Words | Unsupported {
  switch (op) {
    case 'guest.unprotect':
      return Number(after ?? '0') === 0 ? {op, params: {}} : {unsupported: 'it is not switched off'}
    case 'guest.template':
      return after === '1' ? {op, params: {}} : {unsupported: 'a template is not made a guest again'}
    default: {
      const volume = findVolume(option, config)
      if (volume === undefined) return {unsupported: `it cannot be told which volume ${option.name} names`}
      return {op, params: {option: option.name, volume}}
    }
  }
}

/** The one volume that is there, or waits to be; undefined: none, or two different ones. */
function findVolume(option: Option, {current, pending}: KnownConfig): string | undefined {
  const waiting = pending.find((change) => change.option === option.name)
  const texts = [current[option.name], waiting?.kind === 'set' ? waiting.value : undefined]
  const volumes = new Set(texts.flatMap((text) => (text === undefined ? [] : [readVolumeName(option, text)])))
  const [volume, ...others] = volumes
  return others.length === 0 ? volume : undefined
}

function readVolumeName({format}: Option, text: string): string | undefined {
  if (!format) return text
  const parsed = parseProperties(format, text)
  return 'problem' in parsed ? undefined : (parsed.parts.get('file') ?? parsed.parts.get('volume'))
}
