// What is true in Proxmox at the time of reading, and how much of it could be known. Nothing here is
// guessed: what could not be read is represented as unknown, never as absent.
import type {GuestAddress} from './guest.ts'

export interface ActualCluster {
  /** Absent: a standalone node, or the name could not be read. */
  readonly name: string | undefined
  readonly quorum: Quorum
  /** Sorted by name. */
  readonly nodes: readonly ActualNode[]
  /** Sorted by vmid. */
  readonly guests: readonly ActualGuest[]
  readonly completeness: Completeness
  /** What the token may do, by path; undefined: it could not be read. */
  readonly privileges: Privileges | undefined
  /** What else could not be read and why, for the person who reads the result: quorum, HA. */
  readonly notes: readonly string[]
}

/** Path → privilege → whether it holds below that path too. */
export type Privileges = Readonly<Record<string, Readonly<Record<string, boolean>>>>

/** A standalone node counts as quorate. `unknown`: the token may not read it. */
export type Quorum = 'quorate' | 'lost' | 'standalone' | 'unknown'

export interface ActualNode {
  readonly name: string
  readonly online: boolean
  /** Whether the guests of this node are in the list. False for an offline node. */
  readonly listed: boolean
}

export interface ActualGuest extends GuestAddress {
  readonly name: string | undefined
  readonly run: RunState
  readonly template: boolean
  /** `backup`, `migrate`, `create`, …: hands off. */
  readonly lock: string | undefined
  readonly tags: readonly string[]
  readonly ha: HaMembership
  readonly config: GuestConfig
}

/** `paused`: the machine exists, its CPUs stand still. */
export type RunState = 'running' | 'stopped' | 'paused' | 'unknown'

/** Of a managed guest, power requests go through the HA manager and take effect later. */
export type HaMembership =
  {readonly managed: false} | {readonly managed: true; readonly state: string} | {readonly managed: 'unknown'}

export type GuestConfig = KnownConfig | {readonly known: false; readonly reason: string}

export interface KnownConfig {
  readonly known: true
  /** Option → text as Proxmox gives it; what the running guest has. No prototype: any option name is safe. */
  readonly current: ConfigTexts
  /** Changes that wait for the next start. */
  readonly pending: readonly PendingChange[]
  /** SHA-1 of the config file, to guard a write with. */
  readonly digest: string
}

/** Stands for a value that was left out of a capture: its text is not known and compares with nothing. */
export const REDACTED = '<redacted>'

export type ConfigTexts = Readonly<Record<string, string>>

export type PendingChange =
  | {readonly option: string; readonly kind: 'set'; readonly value: string}
  | {readonly option: string; readonly kind: 'delete'; readonly force: boolean}

/** What the config will be when the guest has restarted: that is what a write would change. */
export function valueAfterRestart(config: KnownConfig, name: string): string | undefined {
  const pending = config.pending.find((change) => change.option === name)
  if (!pending) return config.current[name]
  return pending.kind === 'set' ? pending.value : undefined
}

/** Whether a guest that is not in the list may be taken for absent. */
export type Completeness =
  {readonly complete: true} | {readonly complete: false; readonly reasons: readonly Incompleteness[]}

export interface Incompleteness {
  readonly code: IncompletenessCode
  /** The node concerned, where it is about one. */
  readonly node?: string
  readonly message: string
}

export type IncompletenessCode =
  | 'node_offline'
  | 'node_unreachable'
  | 'list_failed'
  | 'list_filtered'
  | 'privileges_unknown'
  | 'guest_moving'
