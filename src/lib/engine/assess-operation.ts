// How a guest stands towards an operation: whether what it wants is so, whether all is still as it was before, or
// whether it is neither. The same answer serves the engine before and after a request, and recover after a crash.
import {compareOption, isSameValue} from '../catalog/compare-option.ts'
import {findOption, type Option} from '../catalog/option.ts'
import {parseSizeBytes} from '../catalog/sizes.ts'
import {valueAfterRestart, type ActualGuest, type KnownConfig} from '../model/actual.ts'
import {identifyGuest, isSameIdentity} from '../model/identity.ts'
import type {Intent, OperationBody} from '../model/operation.ts'
import type {Snapshot} from '../model/snapshot.ts'

/** `changed`: neither as wanted nor as it was. `unknown`: the config could not be read. */
export type Standing = 'reached' | 'untouched' | 'changed' | 'unknown'

export type Assessed = Pick<Intent, 'body' | 'before' | 'target' | 'identity' | 'digest'>

/** `guest` undefined: it is proved that there is none. `snapshots` are needed for their deletion alone. */
export function assessOperation(
  intent: Assessed,
  guest: ActualGuest | undefined,
  snapshots?: readonly Snapshot[],
): Standing {
  const {body} = intent
  if (body.type === 'create') return assessCreation(body, guest)
  if (body.type === 'destroy') return assessDestruction(intent, guest)
  if (guest?.kind !== intent.target.kind || isAnother(intent, guest)) return 'changed'
  switch (body.type) {
    case 'start':
      return byRunState(guest, 'running', 'stopped')
    case 'shutdown':
      return guest.run === 'paused' ? 'untouched' : byRunState(guest, 'stopped', 'running')
    case 'restart':
      return assessRestart(guest)
    case 'resize':
      return guest.config.known ? assessSize(body, intent, guest.config) : 'unknown'
    case 'set-config':
      return guest.config.known ? assessOptions(body, intent, guest.config) : 'unknown'
    case 'snapshot-delete':
      if (!snapshots) return 'unknown'
      return snapshots.some(({name}) => name === body.snapshot) ? 'untouched' : 'reached'
    case 'snapshot-rollback':
      return assessRollback(intent, guest)
    case 'job':
      return 'unknown'
  }
}

/** Some ids may be what the operation changes; a guest that shares none of them is another. */
function isAnother({identity, target}: Assessed, guest: ActualGuest): boolean {
  if (!identity || identity.ids.length === 0 || !guest.config.known) return false
  const now = identifyGuest(target, guest.config.current)
  return !now.ids.some((id) => identity.ids.includes(id))
}

function byRunState(
  {run}: ActualGuest,
  goal: 'running' | 'stopped',
  before: 'running' | 'stopped',
): Standing {
  if (run === goal) return 'reached'
  if (run === before) return 'untouched'
  return run === 'unknown' ? 'unknown' : 'changed'
}

/** A restart has done its work when the guest runs and nothing waits for a restart any more. */
function assessRestart({run, config}: ActualGuest): Standing {
  if (run === 'stopped' || run === 'paused') return 'changed'
  if (run === 'unknown' || !config.known) return 'unknown'
  return config.pending.length === 0 ? 'reached' : 'untouched'
}

function assessSize(
  body: Extract<OperationBody, {type: 'resize'}>,
  {before}: Assessed,
  config: KnownConfig,
): Standing {
  const size = diskSizeBytes(valueAfterRestart(config, body.disk))
  if (size === undefined) return 'changed'
  if (size >= body.toBytes) return 'reached'
  return size === before.sizeBytes ? 'untouched' : 'changed'
}

export function diskSizeBytes(text: string | undefined): number | undefined {
  const size = /(?:^|,)size=([^,]+)/.exec(text ?? '')?.[1]
  return size === undefined ? undefined : parseSizeBytes(size)
}

function assessOptions(
  body: Extract<OperationBody, {type: 'set-config'}>,
  {before, target}: Assessed,
  config: KnownConfig,
): Standing {
  const wanted: [string, string | undefined][] = [
    ...Object.entries(body.set),
    ...[...body.delete, ...(body.revert ?? [])].map((name): [string, undefined] => [name, undefined]),
  ]
  let reached = true
  let untouched = true
  for (const [name, after] of wanted) {
    const option = findOption(target.kind, name)
    // What cannot be read back says nothing about itself.
    if (!option?.isComparable && after !== undefined) continue
    const live = valueAfterRestart(config, name)
    const old = before.options[name] ?? undefined
    if (!isAsWanted(option, live, old, after)) reached = false
    if (!isSame(option, live, old)) untouched = false
  }
  return reached ? 'reached' : untouched ? 'untouched' : 'changed'
}

const isSame = (option: Option | undefined, a: string | undefined, b: string | undefined): boolean =>
  option ? isSameValue(option, a, b) : a === b

/** A part that was not written, and that Proxmox chose by itself, is no difference: the address of a new network. */
function isAsWritten(
  option: Option | undefined,
  live: string | undefined,
  after: string | undefined,
): boolean {
  if (!option || after === undefined) return isSame(option, live, after)
  return compareOption(option, live, {is: 'text', text: after}).equal
}

/** `local-lvm:8`: a volume to be made, of which only the storage is known beforehand. */
const ALLOCATION = /^([^:,]+):\d+(?:\.\d+)?(?:,|$)/

function isAsWanted(
  option: Option | undefined,
  live: string | undefined,
  before: string | undefined,
  after: string | undefined,
): boolean {
  const storage = option?.isDisk === true ? ALLOCATION.exec(after ?? '')?.[1] : undefined
  if (storage === undefined) return isAsWritten(option, live, after)
  return live !== before && live?.startsWith(`${storage}:`) === true
}

/** Nothing in a guest proves that it was rolled back; the digest covers snapshots and lock, and proves that it was not. */
function assessRollback({digest}: Assessed, {lock, config}: ActualGuest): Standing {
  if (!config.known) return 'unknown'
  return lock === undefined && config.digest === digest ? 'untouched' : 'changed'
}

/** Debris is neither: it is there, and it is not what was wanted. */
function assessCreation(
  {marker}: Extract<OperationBody, {type: 'create'}>,
  guest: ActualGuest | undefined,
): Standing {
  if (!guest) return 'untouched'
  if (!guest.config.known) return 'unknown'
  const texts = Object.values(guest.config.current).join('\n').toUpperCase()
  const isOurs = marker.length > 0 && marker.every((address) => texts.includes(address.toUpperCase()))
  return isOurs && guest.lock === undefined ? 'reached' : 'changed'
}

function assessDestruction({identity, target}: Assessed, guest: ActualGuest | undefined): Standing {
  if (!guest) return 'reached'
  if (!identity) return 'changed'
  if (!guest.config.known) return 'unknown'
  return isSameIdentity(identity, identifyGuest(target, guest.config.current)) ? 'untouched' : 'changed'
}
