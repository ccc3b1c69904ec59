// Where desired state, approvals and signed jobs come from: a directory, a git repository, an address. This room knows
// how to fetch them and what a bundle may hold; it touches the network, git and the files it is pointed at; and it
// guarantees that whatever a source sends is bounded, checked and never trusted for more than what it says.
import type {DesiredText} from '../desired/desired-text.ts'
import type {SourceKind} from '../model/daemon.ts'
import type {FailedFetch} from './failed-fetch.ts'
import type {SourceMemory} from './source-memory.ts'

/** An envelope as it lies in the source: the gate alone decides what it is worth. */
export interface CarriedEnvelope {
  /** For messages; it adds no trust. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** All that a source says at one moment. */
export interface Bundle {
  /** How the source names it: a commit, or the digest of its bytes. */
  readonly revision: string
  /** Grows with every change, where the source counts them. */
  readonly serial?: number
  readonly texts: readonly DesiredText[]
  readonly approvals: readonly CarriedEnvelope[]
  readonly jobs: readonly CarriedEnvelope[]
}

export type Fetched =
  /** `older`: why it is held to come before what was seen, as one clause. */
  | {readonly kind: 'bundle'; readonly bundle: Bundle; readonly older?: string}
  /** It is what was seen. */
  | {readonly kind: 'unchanged'}
  | FailedFetch

/** What was accepted last, for the source to compare with. */
export interface Seen {
  readonly revision: string
  readonly serial?: number
}

export interface Source {
  readonly kind: SourceKind
  /** For people, without secrets. */
  readonly place: string
  /** Tells apart what the place does not show; for the state directory alone. */
  readonly mark?: string | undefined
  /** What the source does wrong is an answer; it throws only when aborted. */
  fetch(seen: Seen | undefined, signal: AbortSignal): Promise<Fetched>
  /** For another process, as JSON; undefined: nothing. */
  remember?(): SourceMemory | undefined
  /** Of an earlier process: before it is first asked. */
  recall?(memory: SourceMemory): void
}

export const away = (problem: string): FailedFetch => ({kind: 'away', problem})
export const unusable = (problem: string): FailedFetch => ({kind: 'unusable', problem})
