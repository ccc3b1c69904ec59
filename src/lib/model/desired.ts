// What the files say: only what was written is here, and everything that was written knows where it stands.
import type {Diagnostic} from './diagnostic.ts'
import type {GuestKind} from './guest.ts'

/** A place in a file, for messages; lines and columns count from 1. */
export interface SourcePlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

export interface DesiredState {
  /** Ascending by vmid; no vmid twice. */
  readonly guests: readonly DesiredGuest[]
  /** The files it was read from, in the order they were named. */
  readonly files: readonly string[]
}

/** What came of reading a desired state: the whole of it, or every mistake that stands in its way. */
export type DesiredReading =
  | {readonly valid: true; readonly state: DesiredState}
  | {
      readonly valid: false
      /** In the order of the files; the first thousand of them. */
      readonly diagnostics: readonly Diagnostic[]
      readonly mistakeCount: number
      readonly files: readonly string[]
      /** Guests that were found, right or wrong. */
      readonly guestCount: number
    }

export interface DesiredGuest {
  readonly kind: GuestKind
  readonly vmid: number
  readonly ensure: 'present' | 'absent'
  /** Where it may be; absent: wherever it is. */
  readonly nodes?: readonly string[]
  /** Absent: the run state is not managed. */
  readonly run?: 'running' | 'stopped'
  /** `config` and `disks` together, by option name, defaults included. */
  readonly options: ReadonlyMap<string, DesiredOption>
  /** May felhom restart the guest for a change that needs it? */
  readonly restart: 'never' | 'allowed'
  readonly stop: {readonly timeoutMs: number; readonly force: boolean}
  /** Read only when the guest does not exist. */
  readonly create?: DesiredCreate
  readonly place: SourcePlace
}

export interface DesiredOption {
  readonly name: string
  readonly value: DesiredValue
  readonly place: SourcePlace
}

export type DesiredValue =
  /** `null`: the option shall not be set. */
  | {readonly is: 'removed'}
  /** The whole value, in Proxmox's own text (`name=eth0,bridge=vmbr0`). */
  | {readonly is: 'text'; readonly text: string}
  /** A map was written: only these parts are managed; null: the part shall not be set. Canonical part names. */
  | {readonly is: 'parts'; readonly parts: ReadonlyMap<string, string | null>}
  /** A secret by reference: written at creation or on demand, never compared, never shown. */
  | {readonly is: 'secret'; readonly from: SecretSource}

export type SecretSource = {readonly file: string} | {readonly env: string}

export interface DesiredCreate {
  readonly from:
    | {readonly template: string}
    | {readonly clone: number; readonly full?: boolean}
    | {readonly restore: string}
    /** QEMU without an image: an empty machine with the disks that are named. */
    | {readonly empty: true}
  readonly storage?: string
  readonly pool?: string
  readonly password?: SecretSource
  readonly sshKeys?: string | SecretSource
  readonly unprivileged?: boolean
  readonly place: SourcePlace
}
