// A mutation that did not end in a clean answer. It says the one thing that decides what may be done next:
// whether Proxmox surely did not execute it, or whether that is unknown and has to be looked up.
import {FelhomError, type ErrorContext} from './felhom-error.ts'
import type {ErrorCode} from './error-codes.ts'

/** `no`: surely not executed. `ambiguous`: may have been; never send it again, look instead. */
export type Executed = 'no' | 'ambiguous'

const DOUBTS: Record<Executed, string> = {
  no: 'Proxmox did not carry out the request; nothing was changed.',
  ambiguous: 'Proxmox may or may not have carried out the request; it was not sent again.',
}

export class DispatchError extends FelhomError {
  readonly executed: Executed

  constructor(code: ErrorCode, message: string, executed: Executed, context: ErrorContext = {}) {
    super(code, message, {doubt: DOUBTS[executed], ...context})
    this.name = 'DispatchError'
    this.executed = executed
  }
}
