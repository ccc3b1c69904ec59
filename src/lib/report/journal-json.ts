// Operations of the journal as machines read them: flat, with times both as numbers and as text.
import {formatGuestId} from '../model/guest.ts'
import {isOpen, type Intent, type Operation, type OperationState} from '../model/operation.ts'
import {showExactTime} from './journal-times.ts'
import {describeBody} from './journal-words.ts'

export interface OperationJson {
  op: string
  run: string
  /** `lxc/101`. */
  guest: string
  node: string
  name: string | null
  /** In words. */
  action: string
  /** Exactly what was asked of Proxmox, and what it replaced. */
  body: Intent['body']
  before: Intent['before']
  class: Intent['class']
  state: OperationState
  open: boolean
  task: string | null
  started: string
  startedMs: number
  since: string
  sinceMs: number
  by: string | null
  reason: string | null
}

export function encodeOperation({intent, state, upid, sinceMs, by, reason}: Operation): OperationJson {
  return {
    op: intent.op,
    run: intent.run,
    guest: formatGuestId(intent.target),
    node: intent.target.node,
    name: intent.name ?? null,
    action: describeBody(intent.body),
    body: intent.body,
    before: intent.before,
    class: intent.class,
    state,
    open: isOpen({state}),
    task: upid ?? null,
    started: showExactTime(intent.atMs),
    startedMs: intent.atMs,
    since: showExactTime(sinceMs),
    sinceMs,
    by: by ?? null,
    reason: reason ?? null,
  }
}
