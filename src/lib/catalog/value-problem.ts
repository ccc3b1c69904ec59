// What is wrong with a value that a person wrote.

export interface ValueProblem {
  /** Where in the value: keys of maps and positions in lists; empty: the value itself. */
  readonly path: readonly (string | number)[]
  /** The key at the end of the path is wrong, not what stands behind it. */
  readonly at?: 'key'
  readonly message: string
  /** What would have been right, as one clause. */
  readonly expected?: string
  readonly suggestion?: string
}

export type Flaw = Omit<ValueProblem, 'path'>

/** A value as messages name it. */
export function describeWritten(written: unknown): string {
  if (written === null) return 'null'
  if (Array.isArray(written)) return 'a list'
  switch (typeof written) {
    case 'string':
      return `"${written.length > 40 ? `${written.slice(0, 40)}…` : written}"`
    case 'object':
      return 'a map'
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(written)
    default:
      return 'this'
  }
}
