// How a step of the verification says no.
import type {Refusal, RefusalCode} from '../model/approval.ts'

/** Ends the verification; it never leaves the gate. */
export class Refused extends Error {
  readonly step: number
  readonly refusal: Refusal

  constructor(step: number, code: RefusalCode, message: string, signed?: Refusal['signed']) {
    super(message)
    this.step = step
    this.refusal = {code, message, ...(signed && {signed})}
  }
}
