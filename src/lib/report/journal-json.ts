// Operations of the journal as machines read them: flat, with times both as numbers and as text.
import {formatGuestId} from '../model/guest.ts'
import {isOpen, type Intent, type Operation, type OperationState} from '../model/operation.ts'
import type {OperationStory, RunStory} from './journal-story.ts'
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

export interface StoryJson extends OperationJson {
  identity: readonly string[] | null
  digest: string | null
  knownTasks: readonly string[]
  key: string | null
  records: {
    at: string
    state: OperationState
    task: string | null
    by: string | null
    reason: string | null
  }[]
}

export function encodeStory({operation, records}: OperationStory): StoryJson {
  const {identity, digest, knownTasks, key} = operation.intent
  return {
    ...encodeOperation(operation),
    identity: identity?.ids ?? null,
    digest: digest ?? null,
    knownTasks,
    key: key ?? null,
    records: records.map(({atMs, state, upid, by, reason}) => ({
      at: showExactTime(atMs),
      state,
      task: upid ?? null,
      by: by ?? null,
      reason: reason ?? null,
    })),
  }
}

export interface RunJson {
  run: string
  operations: OperationJson[]
}

export function encodeRun({run, operations}: RunStory): RunJson {
  return {run, operations: operations.map(encodeOperation)}
}
