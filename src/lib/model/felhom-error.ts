// The one kind of exception that crosses rooms: the step could not finish. It says what happened (message),
// what was left untouched or is in doubt, and what to do next; machines match on its code.
import type {ErrorCode} from './error-codes.ts'

export interface ErrorContext {
  cause?: unknown
  /** What to do next. */
  hint?: string
  /** What was left untouched, or what may or may not have happened. */
  doubt?: string
}

export class FelhomError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly doubt: string | undefined

  constructor(code: ErrorCode, message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : {cause: context.cause})
    this.name = 'FelhomError'
    this.code = code
    this.hint = context.hint
    this.doubt = context.doubt
  }
}

/** Whether `error` is ours, and, when codes are given, one of these. */
export function isFelhomError(error: unknown, ...codes: ErrorCode[]): error is FelhomError {
  return error instanceof FelhomError && (codes.length === 0 || codes.includes(error.code))
}
