// How a format says no: Perl's `die "text\n"` inside a check. The text keeps its final newline, because Proxmox
// shows it as it is.

export class FormatError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FormatError'
  }
}

export function refuse(text: string): never {
  throw new FormatError(`${text}\n`)
}

/** Throws a FormatError where the value does not have the format. */
export type FormatCheck = (value: string) => void
