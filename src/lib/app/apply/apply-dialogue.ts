// What an apply tells and asks while it is under way. The command line is one who listens; tests are others.
import type {RecoverResult} from '../../engine/recover.ts'
import type {Plan} from '../../model/plan.ts'
import type {RunEvent} from '../../model/run-event.ts'

export interface ApplyDialogue {
  warn(text: string): void
  /** Somebody else holds the state directory; this run waits for it. */
  waitingForLock(holder: string): void
  /** Interrupted work was found, and is being settled first. */
  recovering(operations: number): void
  /** Called only if there was something to settle, or something is still open. */
  recovered(result: RecoverResult): void
  showPlan(plan: Plan): void
  /** Throws `declined` unless the answer is yes. `possible` of the `total` actions can be carried out now. */
  approve(possible: number, total: number): Promise<void>
  /** From here on requests may leave. */
  beginRun(): void
  show(event: RunEvent): void
  /** Aborted before the run has begun: nothing is sent. */
  readonly giveUp: AbortSignal
  /** Aborted during the run: nothing new is started. */
  readonly stop: AbortSignal
}
