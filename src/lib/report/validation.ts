// What came of checking desired-state files, for every form in which it is told.
import type {Diagnostic} from '../model/diagnostic.ts'
import {plural} from './plural.ts'

export interface Validation {
  readonly files: readonly string[]
  readonly guestCount: number
  readonly mistakeCount: number
  /** Of many mistakes the first thousand. */
  readonly diagnostics: readonly Diagnostic[]
}

/** `3 files, 42 guests, no mistakes` */
export function summarizeValidation({files, guestCount, mistakeCount}: Validation): string {
  const mistakes = mistakeCount === 0 ? 'no mistakes' : plural(mistakeCount, 'mistake')
  return `${plural(files.length, 'file')}, ${plural(guestCount, 'guest')}, ${mistakes}`
}

/** What is wrong, what was expected and what was probably meant, as one line. */
export function describeMistake({message, expected, suggestion}: Diagnostic): string {
  const clauses = [
    message,
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(suggestion === undefined ? [] : [`did you mean: ${suggestion}`]),
  ]
  return clauses.join('; ')
}
