// Takes what is secret out of live state before it is shown or written: the option stays, marked as left out,
// so that nobody takes the mark for a value.
import {REDACTED, type ActualCluster, type ActualGuest, type PendingChange} from '../../model/actual.ts'

/** Options whose values are secrets or may hold some; their presence is kept, their value is not. */
export const SECRET_OPTIONS: ReadonlySet<string> = new Set(['cipassword', 'env', 'args', 'sshkeys'])

export {REDACTED}

export interface RedactedCluster {
  cluster: ActualCluster
  /** The options whose values were left out, wherever they stood; sorted. */
  redacted: string[]
}

export function redactCluster(cluster: ActualCluster): RedactedCluster {
  const redacted = new Set<string>()
  const guests = cluster.guests.map((guest) => redactGuest(guest, redacted))
  return {cluster: {...cluster, guests}, redacted: [...redacted].sort()}
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
