// What is wrong with a text that a person wrote: where, what was expected, and what was probably meant.

export interface Diagnostic {
  /** Stable, for machines: `unknown_key`, `duplicate_key`, … */
  code: string
  message: string
  file: string
  /** 1-based; absent when the whole file is meant. */
  line?: number
  column?: number
  /** How many columns the caret underlines. */
  length?: number
  /** The offending line as it stands in the file. */
  sourceLine?: string
  /** What would have been right, as one clause. */
  expected?: string
  suggestion?: string
}
