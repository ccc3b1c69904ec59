// One change to one guest as the journal knows it: what is asked of Proxmox, what it replaces, and how far it
// got. An operation is one request; a planned action becomes one operation.
import type {RunState} from './actual.ts'
import type {CanonicalValue, SignedOperation} from './approval.ts'
import type {GuestAddress} from './guest.ts'
import type {GuestIdentity} from './identity.ts'
import type {CreateOrigin, GateClass} from './plan.ts'

/** What is sent, exactly; the request is made from this and from nothing else. Secrets stand here by name only. */
export type OperationBody =
  | {
      readonly type: 'set-config'
      readonly set: Readonly<Record<string, string>>
      readonly delete: readonly string[]
      /** Of a container, options that only wait to be set: Proxmox would keep them waiting if they were deleted. */
      readonly revert?: readonly string[]
      /**
       * Options whose values are secrets: read when the request is made, never kept. A copy takes its secrets this
       * way once it is made, for neither clone nor restore takes them; they cannot be read back, so they say nothing
       * about whether the operation has reached its goal.
       */
      readonly secrets?: readonly string[]
    }
  | {readonly type: 'resize'; readonly disk: string; readonly toBytes: number}
  | {
      readonly type: 'create'
      readonly from: CreateOrigin
      /** Of a clone: where its source is. The request goes there, and its task runs there under the source's number. */
      readonly sourceNode?: string
      /** A clone or restore takes few of them; the rest is set once the copy is made. */
      readonly options: Readonly<Record<string, string>>
      /** Options whose values are secrets: read when the request is made, never kept. */
      readonly secrets: readonly string[]
      /** Network addresses that we chose, by which the new guest can be told from somebody else's. */
      readonly marker: readonly string[]
    }
  | {readonly type: 'destroy'}
  | {readonly type: 'snapshot-delete'; readonly snapshot: string}
  | {readonly type: 'snapshot-rollback'; readonly snapshot: string}
  /** What no plan asks for, carried out by whoever has brought the means. */
  | {
      readonly type: 'job'
      readonly job: SignedOperation
      readonly params: Readonly<Record<string, CanonicalValue>>
      /** What it is about, if that is no guest: `storage`, `host`. Its number is 0 then. */
      readonly of?: string
    }
  | {readonly type: 'start'}
  | {readonly type: 'shutdown'; readonly timeoutMs: number; readonly force: boolean}
  | {readonly type: 'restart'}

export type OperationType = OperationBody['type']

/** What the operation replaces, so that it can be compared, told and undone. */
export interface BeforeImage {
  readonly run: RunState
  /** Options that it writes, as they were; null: not set. A secret is never here. */
  readonly options: Readonly<Record<string, string | null>>
  /** Of a disk that grows. */
  readonly sizeBytes?: number
}

/** Everything that must be durable before the request leaves. */
export interface Intent {
  readonly op: string
  /** The apply, or pass of the daemon, that it belongs to. */
  readonly run: string
  readonly target: GuestAddress
  /** For people. */
  readonly name?: string
  readonly body: OperationBody
  readonly class: GateClass
  readonly before: BeforeImage
  /** Absent: the guest does not exist yet. */
  readonly identity?: GuestIdentity
  /** Of the config that was read immediately before; a config write carries it. */
  readonly digest?: string
  /** Tasks of our token that Proxmox already listed for this guest: any other is new. */
  readonly knownTasks: readonly string[]
  /** Set for what must never run twice, whatever happens: the nonce of a signed job. */
  readonly key?: string
  /** Epoch milliseconds of our clock, immediately before the request. */
  readonly atMs: number
}

declare const journaled: unique symbol
/** An intent whose `started` record is on disk. Only the journal makes one; a writer takes nothing else. */
export type JournaledIntent = Intent & {readonly [journaled]: true}

export type TerminalState = 'succeeded' | 'failed' | 'satisfied' | 'superseded' | 'abandoned'
export type OperationState = 'started' | 'task_running' | 'quarantined' | TerminalState

/** Who says that an operation ended this way. */
export type Settler = 'engine' | 'recover' | 'operator'

export interface Ending {
  readonly state: TerminalState | 'quarantined'
  readonly by: Settler
  /** One sentence; empty only for a plain success. */
  readonly reason: string
  /** Of a guest that was created: who it is from now on. */
  readonly identity?: GuestIdentity
}

/** The latest that the journal knows of an operation. */
export interface Operation {
  readonly intent: Intent
  readonly state: OperationState
  readonly upid?: string
  /** Epoch milliseconds of the latest record. */
  readonly sinceMs: number
  readonly by?: Settler
  readonly reason?: string
  /** Of a creation that has ended well: who the guest is. */
  readonly created?: GuestIdentity
  /** Of a creation nobody saw begin: since when every look has proved that there is no such guest. */
  readonly absentSinceMs?: number
}

/** No terminal record yet: the guest is frozen. */
export const isOpen = ({state}: Pick<Operation, 'state'>): boolean =>
  state === 'started' || state === 'task_running' || state === 'quarantined'

/** Guests that an operation keeps busy: its target, and of a clone the source, under whose number its task is listed. */
export function involvedVmids({body, target}: Pick<Intent, 'body' | 'target'>): readonly number[] {
  const source = body.type === 'create' && 'clone' in body.from ? body.from.clone : target.vmid
  return source === target.vmid ? [target.vmid] : [target.vmid, source]
}

/** The open operation that keeps one of these guests busy. */
export const findHolding = (open: readonly Operation[], vmids: readonly number[]): Operation | undefined =>
  open.find(({intent}) => involvedVmids(intent).some((vmid) => vmids.includes(vmid)))

export const frozenVmids = (open: readonly Pick<Operation, 'intent'>[]): ReadonlySet<number> =>
  new Set(open.flatMap(({intent}) => involvedVmids(intent)))
