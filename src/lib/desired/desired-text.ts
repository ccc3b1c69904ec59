// A text to read a desired state from, wherever it came from.

export interface DesiredText {
  /** As messages name it. */
  readonly file: string
  /** What relative paths in it are relative to. */
  readonly dir: string
  readonly bytes: Uint8Array
}
