// What the gate is asked: this action, on this guest, as it is now.
import type {ActualGuest} from '../model/actual.ts'
import type {GuestAddress} from '../model/guest.ts'
import type {PlannedAction} from '../model/plan.ts'

export interface GateRequest {
  readonly action: PlannedAction
  readonly target: GuestAddress
  /** As read immediately before, inside the guest's lane; undefined: it does not exist. */
  readonly guest: ActualGuest | undefined
  /** The run that asks, if it is about to act: what it has created itself it may destroy again. */
  readonly run?: string
}
