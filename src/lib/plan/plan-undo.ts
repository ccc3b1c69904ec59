// The way back of a run, guest by guest: from what the journal says was replaced, and from the guest as it is now, to
// a desired state that the planner takes like any other. What it leaves out, it names.
import {showSize} from '../catalog/sizes.ts'
import type {ActualGuest, KnownConfig} from '../model/actual.ts'
import type {DesiredGuest, SourcePlace} from '../model/desired.ts'
import {isOpen, type Operation} from '../model/operation.ts'
import type {UndoRemark, UndoRemarkCode} from '../model/undo.ts'
import {isAnotherGuest} from './plan-undo-identity.ts'
import {hasEffect, netChanges, undoOptions} from './plan-undo-options.ts'
import type {OwnRemark} from './plan-undo-remark.ts'
import {undoRunState} from './plan-undo-run-state.ts'

export interface WayBack {
  /** Undefined: there is nothing to bring back. */
  readonly desired: DesiredGuest | undefined
  readonly remarks: readonly UndoRemark[]
}

/** A guest that is asked to stop has this long, and is then left running. */
const STOP = {timeoutMs: 60_000, force: false}

/**
 * `operations`: all that one run did to one guest. `guest` undefined: it is not in the list, which is `isComplete` or
 * not.
 */
export function planWayBack(
  operations: readonly Operation[],
  guest: ActualGuest | undefined,
  isComplete: boolean,
): WayBack {
  const [first] = operations
  if (!first) return {desired: undefined, remarks: []}
  const {target, name, run} = first.intent
  const ordered = [...operations].sort(byTime)
  const {desired, remarks} = planGuestBack(ordered, guest, isComplete)
  const whose = {guest: {kind: target.kind, vmid: target.vmid}, name: guest?.name ?? name}
  return {
    desired: desired && {
      kind: target.kind,
      vmid: target.vmid,
      ensure: 'present',
      restart: 'never',
      stop: STOP,
      place: placeOf(run),
      ...desired,
    },
    remarks: remarks.map((remark) => ({...whose, ...remark})),
  }
}

/** Nobody wrote it into a file. */
const placeOf = (run: string): SourcePlace => ({file: `run ${run}`, line: 1, column: 1})

interface OwnWayBack {
  readonly desired?: Pick<DesiredGuest, 'options' | 'run'>
  readonly remarks: readonly OwnRemark[]
}

const only = (code: UndoRemarkCode, message: string): OwnWayBack => ({remarks: [{code, message}]})

function planGuestBack(
  operations: readonly Operation[],
  guest: ActualGuest | undefined,
  isComplete: boolean,
): OwnWayBack {
  const open = operations.find(isOpen)
  if (open) return only('open', `how ${open.intent.op} ended is not known: run felhom recover first`)
  const effective = operations.filter(hasEffect)
  const did = new Set(effective.map(({intent}) => intent.body.type))
  if (did.has('destroy'))
    return only('destroyed', 'it was destroyed with its data: only a backup can bring it back')
  if (did.size === 0 || (did.has('create') && !guest && isComplete)) return {remarks: []}
  if (did.has('create'))
    return only(
      'created',
      "it was created, and undoing that would destroy it with its data: if that is meant, write 'ensure: absent' for it, which needs a signature",
    )
  if (!guest) return missing(isComplete)
  const {config} = guest
  if (!config.known) return only('config_unknown', `its config could not be read (${config.reason})`)
  if (isAnotherGuest(effective, guest, config))
    return only('guest_another', 'another guest has this number now')
  return bringBack(effective, guest, config)
}

const missing = (isComplete: boolean): OwnWayBack =>
  isComplete
    ? only('guest_missing', 'it no longer exists')
    : only('guest_unseen', 'it was not seen, but the list of guests is not complete')

function bringBack(effective: readonly Operation[], guest: ActualGuest, config: KnownConfig): OwnWayBack {
  const options = undoOptions(effective, guest, config, placeOf(effective[0]?.intent.run ?? ''))
  const power = undoRunState(effective, guest)
  const remarks = [...options.remarks, ...effective.flatMap(remarkOnGrowth), ...power.remarks]
  if (options.wanted.size === 0 && power.run === undefined) return {remarks}
  return {desired: {options: options.wanted, ...(power.run && {run: power.run})}, remarks}
}

function remarkOnGrowth({intent: {body, before}}: Operation): OwnRemark[] {
  if (body.type !== 'resize') return []
  const from = before.sizeBytes === undefined ? '' : ` from ${showSize(before.sizeBytes)}`
  const message = `${body.disk} was grown${from} to ${showSize(body.toBytes)}: a disk cannot shrink`
  return [{code: 'grown', subject: body.disk, message}]
}

/** Whether something of it could be brought back, as far as the journal alone can tell. */
export function isUndoable(operation: Operation): boolean {
  const {body, target} = operation.intent
  if (!hasEffect(operation)) return false
  if (body.type === 'start' || body.type === 'shutdown') return true
  return body.type === 'set-config' && netChanges([operation], target.kind).changes.length > 0
}

function byTime({intent: a}: Operation, {intent: b}: Operation): number {
  return a.atMs - b.atMs || numberInRun(a.op) - numberInRun(b.op)
}

const numberInRun = (op: string): number => Number(op.slice(op.lastIndexOf('.') + 1)) || 0
