// Live state as one file: for planning in CI without credentials, and for reports of bugs. What is secret is
// left out and marked as left out, so that nobody takes the mark for a value.
import type {ActualCluster, ActualGuest, PendingChange} from '../model/actual.ts'
import type {Reader} from '../pve/read.ts'

/** Options whose values are secrets or may hold some; their presence is kept, their value is not. */
export const SECRET_OPTIONS: ReadonlySet<string> = new Set(['cipassword', 'env', 'args', 'sshkeys'])

export const REDACTED = '<redacted>'

export interface Capture {
  felhomCapture: 1
  takenAt: string
  proxmox: {version: string}
  /** The options whose values were left out, wherever they stood. */
  redacted: string[]
  cluster: ActualCluster
}

export async function captureCluster(reader: Reader, now: () => Date): Promise<Capture> {
  const [version, cluster] = await Promise.all([reader.version(), reader.readCluster()])
  const redacted = new Set<string>()
  const guests = cluster.guests.map((guest) => redactGuest(guest, redacted))
  return {
    felhomCapture: 1,
    takenAt: now().toISOString(),
    proxmox: {version: version.version},
    redacted: [...redacted].sort(),
    cluster: {...cluster, guests},
  }
}

function redactGuest(guest: ActualGuest, redacted: Set<string>): ActualGuest {
  if (!guest.config.known) return guest
  const hide = (option: string, value: string): string => {
    if (!SECRET_OPTIONS.has(option)) return value
    redacted.add(option)
    return REDACTED
  }
  const current = Object.fromEntries(Object.entries(guest.config.current).map(([o, v]) => [o, hide(o, v)]))
  const pending = guest.config.pending.map((change): PendingChange =>
    change.kind === 'set' ? {...change, value: hide(change.option, change.value)} : change,
  )
  return {...guest, config: {...guest.config, current, pending}}
}
