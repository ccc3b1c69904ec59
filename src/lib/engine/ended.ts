// How one action ended, before it is put into the words and the order of a report.
import type {ActualGuest} from '../model/actual.ts'
import type {RefusalCode} from '../model/approval.ts'
import type {ActionOutcome} from '../model/run-event.ts'

export interface Ended {
  readonly outcome: ActionOutcome
  readonly detail?: string
  readonly op?: string
  readonly upid?: string
  /** Of what the gate refused. */
  readonly refusal?: RefusalCode
  /** Of a creation: the new guest, if it could be read. */
  readonly created?: ActualGuest
  /** The config was changed by others between its reading and our write, which Proxmox therefore refused. */
  readonly isRaced?: true
}

export const ended = (outcome: ActionOutcome, detail = '', more: Omit<Ended, 'outcome'> = {}): Ended => ({
  outcome,
  ...(detail !== '' && {detail}),
  ...more,
})
