// A plan: inert data that says what would be done, why, at what cost, and what stands in its way. It can be
// printed, saved, shown again and compared; nothing in it acts.
import type {RunState} from './actual.ts'
import type {GuestKind} from './guest.ts'

export interface Plan {
  /** Guests with actions or problems, ascending by vmid. */
  readonly guests: readonly GuestPlan[]
  /** Guests that are there and not in the desired state: left alone. */
  readonly unmanaged: number
  /** Guests that already are as desired. */
  readonly unchanged: number
  /** About the cluster as a whole: no quorum, a list that is not complete. */
  readonly problems: readonly PlanProblem[]
}

export interface GuestPlan {
  readonly kind: GuestKind
  readonly vmid: number
  /** The live name, or the desired one of a guest to be created. */
  readonly name: string | undefined
  /** Where it is, or where it would be created; undefined: not decided. */
  readonly node: string | undefined
  readonly exists: boolean
  readonly run: RunState
  /** Digest of the config the plan was made from; undefined: it was not readable, or the guest does not exist. */
  readonly liveDigest: string | undefined
  /** In the order in which they would be carried out: config, disks, then run state. */
  readonly actions: readonly PlannedAction[]
  /** Managed options that already are as desired. */
  readonly unchangedOptions: number
  readonly problems: readonly PlanProblem[]
}

export type PlannedAction = ActionBody & {
  /** One clause: because of what. */
  readonly why: string
  readonly impact: Impact
  /** Whether felhom could bring back what was before. */
  readonly reversible: boolean
  readonly class: GateClass
  readonly needs: readonly Need[]
  /** What stands in its way now; with any of them the action would not be carried out. */
  readonly blockers: readonly Blocker[]
}

export type ActionBody =
  | {readonly type: 'set-config'; readonly changes: readonly OptionChange[]}
  | {readonly type: 'resize'; readonly disk: string; readonly fromBytes: number; readonly toBytes: number}
  | {readonly type: 'create'; readonly from: CreateOrigin; readonly options: readonly OptionChange[]}
  | {readonly type: 'destroy'; readonly volumes: readonly {readonly option: string; readonly text: string}[]}
  | {readonly type: 'migrate'; readonly to: readonly string[]}
  | {readonly type: 'snapshot-delete'; readonly snapshot: string}
  | {readonly type: 'snapshot-rollback'; readonly snapshot: string}
  | {readonly type: 'start'}
  | {readonly type: 'shutdown'; readonly timeoutMs: number; readonly force: boolean}
  | {readonly type: 'restart'}

export type CreateOrigin =
  | {readonly template: string; readonly storage?: string}
  | {readonly clone: number; readonly full?: boolean; readonly storage?: string}
  | {readonly restore: string; readonly storage?: string}
  | {readonly empty: true; readonly storage?: string}

export interface OptionChange {
  readonly option: string
  /** Proxmox's own text; undefined: not set. Secrets are never here. */
  readonly before: string | undefined
  readonly after: string | undefined
  /** Of a property string: the parts that differ, by name. */
  readonly parts?: readonly PartChange[]
  /** The value is a secret: shown as such, never compared. */
  readonly secret?: true
  readonly impact: Impact
  readonly reversible: boolean
  readonly class: GateClass
  /** A note for the reader: "hwaddr is kept", "data is lost". */
  readonly note?: string
  /** Options that Proxmox rewrites as a consequence. */
  readonly sideEffects?: readonly string[]
}

export interface PartChange {
  readonly part: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/**
 * `live`: takes effect at once and disturbs nothing. `restart`: stays pending until the guest restarts.
 * `outage`: the guest is down for some time, or for good. `none`: a stopped guest, nothing to disturb.
 */
export type Impact = 'none' | 'live' | 'restart' | 'outage'

export type GateClass = 'benign' | 'destructive'

export interface Need {
  /** `/vms/101` or `/storage/local-lvm`. */
  readonly path: string
  /** One of these suffices. */
  readonly anyOf: readonly string[]
  /** No token will do, only root@pam itself. */
  readonly rootOnly?: true
}

export type BlockerCode =
  | 'locked'
  | 'protected'
  | 'ha_managed'
  | 'node_offline'
  | 'no_quorum'
  | 'config_unknown'
  | 'template'
  | 'root_only'
  | 'privilege_missing'
  | 'needs_signature'
  | 'cannot_be_signed'
  | 'not_yet'
  /** Another guest is to be copied from it first. */
  | 'copy_pending'
  /** Of the daemon: it may not do this now. */
  | 'withheld'
  | 'suspended'
  | 'backing_off'

export interface Blocker {
  readonly code: BlockerCode
  readonly message: string
  /** Of a signature that is wanting: people who have signed and how many it takes, where that is known. */
  readonly signed?: {readonly people: number; readonly needed: number}
}

/** What keeps an action from being tried. Whether a signature allows it is decided by the gate, when it is asked. */
export const obstaclesOf = ({blockers}: Pick<PlannedAction, 'blockers'>): readonly Blocker[] =>
  blockers.filter(({code}) => code !== 'needs_signature')

export interface PlanProblem {
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** Where it was written, if it was. */
  readonly place?: {readonly file: string; readonly line: number; readonly column: number}
}
