// A text that cannot be used, with every mistake in it.
import type {Diagnostic} from './diagnostic.ts'
import type {ErrorCode} from './error-codes.ts'
import {FelhomError, type ErrorContext} from './felhom-error.ts'

export class DiagnosticsError extends FelhomError {
  readonly diagnostics: readonly Diagnostic[]

  constructor(
    code: ErrorCode,
    message: string,
    diagnostics: readonly Diagnostic[],
    context: ErrorContext = {},
  ) {
    super(code, message, context)
    this.name = 'DiagnosticsError'
    this.diagnostics = diagnostics
  }
}
