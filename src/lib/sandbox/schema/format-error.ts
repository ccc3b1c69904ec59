// How a format says no: Perl's `die "text\n"` inside a check. The text keeps its final newline, because Proxmox
// shows it as it is.

export class FormatError extends Error {
  /** For a property string whose keys are wrong: what is wrong with each of them. */
  readonly keys: ReadonlyMap<string, string> | undefined

  constructor(message: string, keys?: ReadonlyMap<string, string>) {
    super(keys ? message + [...keys].map(([path, text]) => `${path}: ${text}\n`).join('') : message)
    this.name = 'FormatError'
    this.keys = keys
  }
}

export const WRONG_KEYS = 'format error\n'

export function refuse(text: string): never {
  throw new FormatError(`${text}\n`)
}

/** Throws a FormatError where the value does not have the format. */
export type FormatCheck = (value: string) => void
