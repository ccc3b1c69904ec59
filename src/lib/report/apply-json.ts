// The lines of `felhom apply --json`: what was recovered if there was anything, the plan, then an event each, last the
// result. Every line is one JSON object with a `type` and the version of the shape; new keys and types may come at any time.
import type {RefusalCode} from '../model/approval.ts'
import {formatGuestId} from '../model/guest.ts'
import type {Plan} from '../model/plan.ts'
import type {ActionResult, RunEvent} from '../model/run-event.ts'
import {countApply, type ApplyCounts} from './apply-outcomes.ts'
import {SCHEMA_VERSION, type Envelope} from './envelope.ts'
import {toJsonText} from './json-text.ts'
import {encodePlan} from './plan-json.ts'
import {encodeRecovery, type RecoveryReport} from './recover-text.ts'

type Line = {readonly type: string} & Record<string, unknown>

export const recoveryLine = (report: RecoveryReport): string =>
  toLine({type: 'recovery', recovery: encodeRecovery(report, false)})

export const planLine = (plan: Plan): string => toLine({type: 'plan', plan: encodePlan(plan)})

/** The envelope of every other command, in one line. */
export const resultLine = (envelope: Envelope): string => toLine({type: 'result', ...envelope})

export function eventLine(event: RunEvent): string {
  const {type, atMs, run} = event
  return toLine({type, at: new Date(atMs).toISOString(), run, ...encodeEvent(event)})
}

/** One line: its type first, and the version of the shape. */
export const toLine = ({type, ...rest}: Line): string =>
  toJsonText({schemaVersion: SCHEMA_VERSION, type, ...rest}, 0)

function encodeEvent(event: RunEvent): Record<string, unknown> {
  switch (event.type) {
    case 'run_started':
      return {guests: event.guests, actions: event.actions}
    case 'action_started': {
      const {guest, node, name, action, op} = event
      return {guest: formatGuestId(guest), node, name: name ?? null, action, op}
    }
    case 'task_started':
      return {guest: formatGuestId(event.guest), op: event.op, task: event.upid}
    case 'action_ended':
      return {...encodeResult(event.result)}
    case 'run_ended':
      return {counts: event.counts}
  }
}

export interface ActionResultJson {
  guest: string
  node: string | null
  name: string | null
  action: string
  outcome: ActionResult['outcome']
  op: string | null
  task: string | null
  detail: string | null
  /** Why the gate refused it. */
  refusal: RefusalCode | null
}

export function encodeResult({
  guest,
  node,
  name,
  action,
  outcome,
  op,
  upid,
  detail,
  refusal,
}: ActionResult): ActionResultJson {
  return {
    guest: formatGuestId(guest),
    node: node ?? null,
    name: name ?? null,
    action: action.type,
    outcome,
    op: op ?? null,
    task: upid ?? null,
    detail: detail ?? null,
    refusal: refusal ?? null,
  }
}

export interface ApplyResultJson {
  /** Absent work has no run. */
  run: string | null
  exitCode: number
  counts: ApplyCounts
  actions: ActionResultJson[]
}

export const encodeApply = (
  run: string | undefined,
  results: readonly ActionResult[],
  exitCode: number,
): ApplyResultJson => ({
  run: run ?? null,
  exitCode,
  counts: countApply(results),
  actions: results.map(encodeResult),
})
