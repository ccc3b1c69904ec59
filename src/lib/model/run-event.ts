// What happens during an apply, as it happens: lines for machines, progress for people, and the final count.
import type {RefusalCode} from './approval.ts'
import type {GuestId} from './guest.ts'
import type {OperationType} from './operation.ts'
import type {PlannedAction} from './plan.ts'

/**
 * `succeeded`: done by us. `satisfied`: it is as desired, though not provably by us. `in_flight`: how it ended is not
 * known; the journal holds it open. `refused`: by the gate. `blocked`: something stands in its way, as planned.
 * `stale`: the guest changed since the plan. `frozen`: an earlier operation of this guest is open. `skipped`: an
 * earlier action of this guest did not succeed. `not_started`: the run was stopped before it.
 */
export type ActionOutcome =
  | 'succeeded'
  | 'satisfied'
  | 'failed'
  | 'in_flight'
  | 'refused'
  | 'blocked'
  | 'stale'
  | 'frozen'
  | 'skipped'
  | 'not_started'

export interface ActionResult {
  readonly guest: GuestId
  readonly node: string | undefined
  readonly name: string | undefined
  readonly action: PlannedAction
  readonly outcome: ActionOutcome
  /** The operation in the journal, if it got that far. */
  readonly op?: string
  /** One or more sentences: why it ended so; of a success what remains (pending until a restart). */
  readonly detail?: string
  readonly upid?: string
  /** Of what the gate refused: why. */
  readonly refusal?: RefusalCode
}

/** Times are epoch milliseconds. */
export type RunEvent = {readonly atMs: number; readonly run: string} & (
  | {readonly type: 'run_started'; readonly guests: number; readonly actions: number}
  | {
      readonly type: 'action_started'
      readonly guest: GuestId
      readonly node: string
      readonly name: string | undefined
      readonly action: OperationType
      readonly op: string
    }
  | {readonly type: 'task_started'; readonly guest: GuestId; readonly op: string; readonly upid: string}
  | {readonly type: 'action_ended'; readonly result: ActionResult}
  | {readonly type: 'run_ended'; readonly counts: Readonly<Record<ActionOutcome, number>>}
)
