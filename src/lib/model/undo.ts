// What an undo leaves as it is, and why. Undo says each of them: what it is silent about, it brings back.
import type {GuestId} from './guest.ts'

export type UndoRemarkCode =
  /** Of the whole guest. */
  | 'open'
  | 'created'
  | 'destroyed'
  | 'guest_missing'
  | 'guest_unseen'
  | 'guest_another'
  | 'config_unknown'
  /** Of one thing that was changed. */
  | 'secret'
  | 'irreversible'
  | 'allocated'
  | 'grown'
  | 'restart'
  | 'paused'
  | 'changed_since'
  | 'unknown_option'
  /** It is brought back, but something that came with it is not. */
  | 'side_effect'

export interface UndoRemark {
  readonly guest: GuestId
  readonly name: string | undefined
  /** `memory`, `rootfs`, `run`; absent: it is about all that was done to the guest. */
  readonly subject?: string
  readonly code: UndoRemarkCode
  /** One or two sentences without a full stop at the end; what comes from outside is not escaped. */
  readonly message: string
}

/** What an undo is about, beside its plan. */
export interface UndoAccount {
  /** The run that is undone; undefined: there is none with anything to undo. */
  readonly run: string | undefined
  /** When it began, in epoch milliseconds. */
  readonly atMs: number | undefined
  /** Of an undo that names no run: a newer one, which changed nothing that can be brought back. */
  readonly newer: string | undefined
  readonly remarks: readonly UndoRemark[]
  /** What the desired state still asks for, as `memory of lxc/101`; undefined: it could not be compared. */
  readonly conflicts: readonly string[] | undefined
}
