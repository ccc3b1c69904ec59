// The settings as the rest of the program sees them: complete, typed, every path absolute.

export type TokenSource = {file: string} | {credential: string} | {env: string}

export type DesiredSource =
  {paths: string[]} | {git: string; branch?: string; path?: string} | {https: string}

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
  gate: {maxDestroy: number}
  limits: {reads: number; writesPerNode: number; timeoutMs: number; taskTimeoutMs: number}
  recover: {settleMs: number}
  daemon: {
    intervalMs: number
    mode: 'observe' | 'benign' | 'full'
    maxShrink: number
    listen: string | undefined
    windows: MaintenanceWindow[]
    webhookUrl: string | undefined
  }
  plugins: {allow: string[]}
}

/** Where a value came from: a flag, a variable of the environment, a place in a file, or felhom itself. */
export type Origin =
  | {from: 'flag'; name: string}
  | {from: 'env'; name: string}
  | {from: 'file'; file: string; line?: number}
  | {from: 'default'}
