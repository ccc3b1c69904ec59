// What the engine asks of the world, said by the engine. Readers cannot write; the writer takes only what the
// journal has on disk; recover is given no writer at all.
import type {ActualCluster, ActualGuest, KnownConfig} from '../model/actual.ts'
import type {GuestAddress} from '../model/guest.ts'
import type {Ending, Intent, JournaledIntent, Operation} from '../model/operation.ts'
import type {RunEvent} from '../model/run-event.ts'
import type {Snapshot} from '../model/snapshot.ts'
import type {TaskEntry, TaskLog, TaskStatus} from '../model/task.ts'
import type {Upid} from '../model/upid.ts'

export interface Clock {
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface GuestReader {
  /** Throws guest_missing if it is not on that node. */
  readGuest(guest: GuestAddress): Promise<ActualGuest>
  /** Its config alone, in one request; throws guest_missing too. */
  readConfig(guest: GuestAddress): Promise<KnownConfig>
  readSnapshots(guest: GuestAddress): Promise<readonly Snapshot[]>
  readCluster(): Promise<ActualCluster>
  /** Asked of the cluster itself, so that guests which the token may not see count too. */
  isVmidFree(vmid: number): Promise<boolean>
}

export interface TaskReader {
  taskStatus(upid: Upid): Promise<TaskStatus>
  taskLog(upid: Upid, page?: {readonly start?: number; readonly limit?: number}): Promise<TaskLog>
  listTasks(
    node: string,
    filter?: {
      readonly vmid?: number
      readonly source?: 'all' | 'active' | 'archive'
      readonly limit?: number
    },
  ): Promise<TaskEntry[]>
}

export interface NodeReader {
  /** Names of the nodes that can be asked now. */
  listNodes(): Promise<readonly string[]>
}

/** A task is no success: it has to be awaited, and must end in OK or WARNINGS. */
export type Dispatched = {readonly kind: 'task'; readonly upid: Upid} | {readonly kind: 'done'}

/** Values of the secrets that an operation names, by option. Kept nowhere. */
export type Secrets = Readonly<Record<string, string>>

export interface GuestWriter {
  /** Sends the request at most once. Throws a DispatchError that says whether it can have been carried out. */
  dispatch(intent: JournaledIntent, secrets?: Secrets): Promise<Dispatched>
}

/** Sends one request, at most once; throws a DispatchError that says whether it can have been carried out. */
export type JobExecutor = (intent: JournaledIntent) => Promise<Dispatched>

export interface Journal {
  /** Resolves when the record is on disk. Rejects with nothing recorded as started: then nothing may be sent. */
  start(intent: Intent): Promise<JournaledIntent>
  taskRunning(op: string, upid: string): Promise<void>
  settle(op: string, ending: Ending): Promise<void>
  /** Since when every look has proved that there is no such guest; undefined: it was seen. Survives a restart. */
  noteAbsence(op: string, sinceMs: number | undefined): Promise<void>
  /** Operations without a terminal record, oldest first. Each freezes its guest. */
  openOperations(): readonly Operation[]
  /** Whether Proxmox has shown tasks of our token that this journal does not know (G9). */
  disarmed(): readonly string[]
  /** UPIDs that this journal knows, and since when it can be expected to know all of our token's. */
  knowsTask(upid: string): boolean
  readonly knowsTasksSinceMs: number
  disarm(upids: readonly string[]): Promise<void>
}

export type Emit = (event: RunEvent) => void
