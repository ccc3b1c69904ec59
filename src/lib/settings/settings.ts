// The settings as the rest of the program sees them: complete, typed, every path absolute.

export type TokenSource = {file: string} | {credential: string} | {env: string}

export type DesiredSource =
  | {paths: string[]}
  /** `path`: below the top of the repository. */
  | {git: string; branch?: string; path?: string; depth?: number}
  /** `ca`, `token`: files. */
  | {https: string; ca?: string; token?: string}
  /** Of a plugin, with options that are its own to understand; `dir`: what paths in them are relative to. */
  | {provider: string; options: Readonly<Record<string, unknown>>; dir: string}

export interface MaintenanceWindow {
  cron: string
  durationMs: number
  timezone: string
}

export interface Settings {
  endpoints: string[]
  token: TokenSource | undefined
  tls: {ca: string | undefined; fingerprints: string[]}
  desired: DesiredSource | undefined
  state: string
  trust: {dir: string | undefined; genesis: string | undefined}
  approvals: string | undefined
  /** The one directory that a desired state from elsewhere may take secrets from. */
  secrets: string | undefined
  gate: {maxDestroy: number}
  limits: {reads: number; writesPerNode: number; timeoutMs: number; taskTimeoutMs: number}
  recover: {settleMs: number}
  daemon: {
    intervalMs: number
    /** Share of the interval that each pause is longer or shorter by, at most. */
    jitter: number
    mode: 'observe' | 'benign' | 'full'
    /** What may be done outside of the maintenance windows. */
    outside: 'observe' | 'live' | 'benign'
    windows: MaintenanceWindow[]
    maxShrink: number
    staleAfterMs: number
    backOffMaxMs: number
    stopTimeoutMs: number
    trustWarningMs: number
    keepMs: number
    /** Directory for what became of signed jobs. */
    outcomes: string | undefined
    listen: string | undefined
    /** File of the bearer token that whoever asks must show; needed where the address is not loopback. */
    listenToken: string | undefined
    webhookUrl: string | undefined
    /** File of a bearer token. */
    webhookToken: string | undefined
  }
  plugins: {allow: string[]}
}

/** Where a value came from: a flag, a variable of the environment, a place in a file, or felhom itself. */
export type Origin =
  | {from: 'flag'; name: string}
  | {from: 'env'; name: string}
  | {from: 'file'; file: string; line?: number}
  | {from: 'default'}
