// What the lanes of one run share: its options, the queue, the watch over its tasks, the numbers of its operations,
// and whether it may still start anything.
import {isFelhomError} from '../model/felhom-error.ts'
import type {RunEvent} from '../model/run-event.ts'
import {Queue} from './queue.ts'
import type {RunOptions} from './run-options.ts'
import {TaskWatcher} from './watch-tasks.ts'

type EventBody = RunEvent extends infer Event
  ? Event extends RunEvent
    ? Omit<Event, 'atMs' | 'run'>
    : never
  : never

export class Run {
  readonly options: RunOptions
  readonly queue: Queue
  readonly watcher: TaskWatcher
  #operations = 0
  #failure: {readonly error: unknown} | undefined

  constructor(options: RunOptions) {
    this.options = options
    this.queue = options.queue ?? new Queue({perNode: options.perNode})
    this.watcher = new TaskWatcher(options.reader, options.clock)
  }

  nextOperation(): string {
    this.#operations++
    return `${this.options.run}.${String(this.#operations)}`
  }

  /** The journal failed, or the program is wrong: from here on no request leaves. The first reason counts. */
  fail(error: unknown): void {
    this.#failure ??= {error}
  }

  get failure(): {readonly error: unknown} | undefined {
    return this.#failure
  }

  /** Why nothing more may be started; undefined: it may. */
  whyHalted(): string | undefined {
    if (this.#failure) return `the run was ended: ${describeError(this.#failure.error)}`
    return this.options.stop.aborted ? 'the run was stopped before it' : undefined
  }

  emit(event: EventBody): void {
    this.options.emit({atMs: this.options.clock.now(), run: this.options.run, ...event})
  }
}

export function describeError(error: unknown): string {
  if (isFelhomError(error)) return error.message
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
