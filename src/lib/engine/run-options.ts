// What a run of the engine is given: the world through its ports, its limits, and who may say no.
import type {Gate} from '../gate/gate.ts'
import type {ActualGuest} from '../model/actual.ts'
import type {GuestId} from '../model/guest.ts'
import type {GuestPlan} from '../model/plan.ts'
import type {ActionOutcome, ActionResult} from '../model/run-event.ts'
import type {Clock, Emit, GuestReader, GuestWriter, Journal, Secrets, TaskReader} from './ports.ts'
import type {Queue} from './queue.ts'

export interface RunOptions {
  /** `YYYYMMDDTHHMMSS-xxxx`; operations are `<run>.<n>`. */
  readonly run: string
  /** `user@realm!name`: by it our tasks are told from others'. */
  readonly tokenId: string
  readonly reader: GuestReader & TaskReader
  readonly writer: GuestWriter
  readonly journal: Journal
  readonly gate: Gate
  readonly clock: Clock
  /** Shared with others who submit changes; without it the run has one of its own. */
  readonly queue?: Queue
  /** How many changes at a time on one node. */
  readonly perNode: number
  /** How long a task is waited for; then it is left in flight, never called failed. */
  readonly taskTimeoutMs: number
  /** Aborted: nothing new is started; what runs is awaited. */
  readonly stop: AbortSignal
  readonly emit: Emit
  /** Read when the request is made; by option. Only names that the plan marks as secrets are asked for. */
  secretsFor(guest: GuestId, names: readonly string[]): Promise<Secrets>
  /**
   * The plan for this guest as it is now, with no actions if it is as desired. Undefined: it cannot be planned
   * again (there is only a saved plan); then a change by others ends the guest's actions as stale.
   */
  planAgain(guest: ActualGuest): GuestPlan | undefined
  /** Whether other actions than those of the plan may be carried out when the guest changed in the meantime. */
  readonly mayAdapt: boolean
  /** Random hex digits, for the network addresses of new guests. */
  randomHex(digits: number): string
}

export type OutcomeCounts = Readonly<Record<ActionOutcome, number>>

export interface RunResult {
  /** In the order of the plan. */
  readonly results: readonly ActionResult[]
  readonly counts: OutcomeCounts
}
