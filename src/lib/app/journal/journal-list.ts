// The history of operations, newest first, by what it is asked for. However long the history is, only what will be
// shown is kept.
import {FelhomError} from '../../model/felhom-error.ts'
import type {GuestKind} from '../../model/guest.ts'
import {isOpen, type Operation, type OperationState} from '../../model/operation.ts'
import {parseDuration} from '../parse-duration.ts'
import type {JournalView} from './journal-view.ts'

export interface ListRequest {
  readonly run?: string
  /** `lxc/101` or `101`. */
  readonly target?: string
  /** `open` stands for all states without an end. */
  readonly states?: readonly (OperationState | 'open')[]
  /** `24h`, or a time in ISO form. */
  readonly since?: string
  readonly limit: number
}

export interface ListedOperations {
  readonly operations: readonly Operation[]
  readonly total: number
}

export async function listOperations(
  view: Pick<JournalView, 'operations'>,
  request: ListRequest,
  nowMs: number,
): Promise<ListedOperations> {
  const {run, limit} = request
  const guest = request.target === undefined ? undefined : readTarget(request.target)
  const isWanted = wants(request, guest?.kind, nowMs)
  const newest: Operation[] = []
  let total = 0
  for await (const operation of view.operations({
    ...(run !== undefined && {run}),
    ...(guest && {vmid: guest.vmid}),
  })) {
    if (!isWanted(operation)) continue
    total++
    newest.push(operation)
    if (newest.length >= limit * 2 + 64) keepNewest(newest, limit)
  }
  keepNewest(newest, limit)
  return {operations: newest, total}
}

function wants(
  {run, states, since}: ListRequest,
  kind: GuestKind | undefined,
  nowMs: number,
): (operation: Operation) => boolean {
  const sinceMs = since === undefined ? -Infinity : readSince(since, nowMs)
  return ({intent, state}) =>
    (run === undefined || intent.run === run) &&
    (kind === undefined || intent.target.kind === kind) &&
    intent.atMs >= sinceMs &&
    (states === undefined || states.includes(state) || (states.includes('open') && isOpen({state})))
}

function keepNewest(operations: Operation[], limit: number): void {
  operations.sort(compareNewestFirst)
  operations.length = Math.min(operations.length, limit)
}

function compareNewestFirst({intent: a}: Operation, {intent: b}: Operation): number {
  return b.atMs - a.atMs || numberInRun(b.op) - numberInRun(a.op)
}

const numberInRun = (op: string): number => Number(op.slice(op.lastIndexOf('.') + 1)) || 0

function readTarget(text: string): {kind?: GuestKind; vmid: number} {
  const match = /^(?:(lxc|qemu)\/)?(\d{1,9})$/.exec(text)
  if (!match) throw wrongUsage(`--target expects lxc/101 or 101, not ${JSON.stringify(text)}`)
  const [, kind, vmid] = match
  return {vmid: Number(vmid), ...(kind !== undefined && {kind: kind as GuestKind})}
}

/** A time without a zone is UTC, as all times of the journal are. */
export function readSince(text: string, nowMs: number): number {
  const duration = parseDuration(text)
  if ('ms' in duration) return nowMs - duration.ms
  const isTime = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
  const hasZone = /(?:Z|[+-]\d\d:\d\d)$/.test(text) || text.length === 10
  const ms = isTime ? Date.parse(hasZone ? text : `${text}Z`) : NaN
  if (!Number.isNaN(ms)) return ms
  throw wrongUsage(
    `--since expects a duration such as 24h, or a time such as 2026-11-18, not ${JSON.stringify(text)}`,
  )
}

const wrongUsage = (message: string): FelhomError =>
  new FelhomError('usage', message, {doubt: 'Nothing was read.'})
