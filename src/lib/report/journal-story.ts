// What the journal tells of one operation, record by record.
import type {Operation, OperationState, Settler} from '../model/operation.ts'

export interface StoryRecord {
  readonly atMs: number
  readonly state: OperationState
  readonly upid?: string
  readonly by?: Settler
  readonly reason?: string
}

export interface OperationStory {
  readonly operation: Operation
  /** Oldest first. */
  readonly records: readonly StoryRecord[]
}

export interface RunStory {
  readonly run: string
  /** First to last. */
  readonly operations: readonly Operation[]
}
