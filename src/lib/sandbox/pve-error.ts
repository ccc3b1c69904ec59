// How the sandbox says no. Handlers throw a PveError; the API turns it into the status line, the reason
// phrase and the JSON body that the real Proxmox would send.

export class PveError extends Error {
  readonly status: number
  /** Per-parameter texts, as in `{"errors": {"cores": "…"}}`. */
  readonly errors: Record<string, string> | undefined

  constructor(status: number, message: string, errors?: Record<string, string>) {
    super(message)
    this.name = 'PveError'
    this.status = status
    this.errors = errors
  }

  /** The error inside another text, as Perl writes it: a code in front, one line per parameter behind. */
  asText(): string {
    const message = this.status === 500 ? this.message : `${String(this.status)} ${this.message}`
    const lines = Object.entries(this.errors ?? {}).map(([name, text]) => `${name}: ${text}\n`)
    return `${message}${lines.join('')}`
  }
}

/** What Perl's `die "text\n"` becomes over HTTP: a 500 whose message ends in a newline. */
export function die(message: string): never {
  throw new PveError(500, message.endsWith('\n') ? message : `${message}\n`)
}

/** 400 with one text per parameter. */
export function paramError(errors: Record<string, string>): never {
  throw new PveError(400, 'Parameter verification failed.\n', errors)
}

/** 403; `what` as Proxmox words it, for example "/vms/101, VM.PowerMgmt". */
export function permissionDenied(what: string): never {
  throw new PveError(403, `Permission check failed (${what})\n`)
}
