// What runs now, from the events of a run; the ways of showing it build on this.
import type {ActionResult, RunEvent} from '../model/run-event.ts'
import type {RunningAction} from '../report/progress-text.ts'

export interface Progress {
  show(event: RunEvent): void
  /** A line of its own, between the others. */
  say(text: string): void
  /** How many actions have been sent and have not ended. */
  running(): number
  close(): void
}

export abstract class ActionWatch {
  /** By operation, oldest first. */
  protected readonly actions = new Map<string, RunningAction>()

  show(event: RunEvent): void {
    if (event.type === 'action_started') {
      const {guest, name, node, action, op, atMs} = event
      this.actions.set(op, {guest, name, node, action, sinceMs: atMs})
    } else if (event.type === 'task_started') {
      const known = this.actions.get(event.op)
      if (known) this.actions.set(event.op, {...known, task: event.upid})
    } else if (event.type === 'action_ended' && event.result.op !== undefined) {
      this.actions.delete(event.result.op)
    }
  }

  running(): number {
    return this.actions.size
  }

  close(): void {
    this.actions.clear()
  }

  /** How long it took, if its beginning was seen. */
  protected elapsed({op}: ActionResult, atMs: number): number | undefined {
    const known = op === undefined ? undefined : this.actions.get(op)
    return known && atMs - known.sinceMs
  }
}
