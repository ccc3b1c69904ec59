// Looks at what the cluster itself says: quorum, nodes, whether every guest could be read.
import type {ActualCluster} from '../../model/actual.ts'
import type {Finding} from '../../model/health.ts'
import {describeUnseen} from '../plan/describe-completeness.ts'

export function checkQuorum(cluster: ActualCluster): Finding {
  const base = {id: 'quorum', title: 'Quorum'}
  switch (cluster.quorum) {
    case 'quorate':
      return {...base, verdict: 'ok', detail: `cluster ${cluster.name ?? ''} is quorate`}
    case 'standalone':
      return {...base, verdict: 'ok', detail: 'a single node, no cluster'}
    case 'unknown':
      return {
        ...base,
        verdict: 'mend',
        detail: cluster.notes.find((note) => note.startsWith('quorum')) ?? 'it could not be read',
        advice: 'It takes Sys.Audit on /: see Privileges above.',
      }
    case 'lost':
      return {
        ...base,
        verdict: 'mend',
        detail: 'the cluster has lost its quorum and takes no changes',
        advice: 'Ask a node which members are missing:',
        commands: ['pvecm status'],
      }
  }
}

export function checkNodes(cluster: ActualCluster): Finding {
  const base = {id: 'nodes', title: 'Nodes'}
  const offline = cluster.nodes.filter((n) => !n.online).map((n) => n.name)
  const names = cluster.nodes.map((n) => n.name).join(', ')
  if (offline.length === 0) return {...base, verdict: 'ok', detail: names}
  return {
    ...base,
    verdict: 'mend',
    detail: `${offline.join(', ')} offline, of ${names}`,
    advice: 'Bring the node back, or remove it from the cluster.',
  }
}

export function checkGuests(cluster: ActualCluster): Finding {
  const base = {id: 'guests', title: 'Guests'}
  const count = `${cluster.guests.length} guest${cluster.guests.length === 1 ? '' : 's'}`
  const gaps = describeUnseen(cluster)
  if (gaps.length > 0)
    return {
      ...base,
      verdict: 'mend',
      detail: `${count} seen. ${gaps.join(' ')}`,
      advice: 'See Privileges and Nodes above.',
    }
  const locked = cluster.guests.filter((g) => g.lock !== undefined)
  if (locked.length > 0) {
    const names = locked.map((g) => `${g.kind}/${g.vmid} (${g.lock ?? ''})`).join(', ')
    return {...base, verdict: 'note', detail: `${count}, every config readable; locked now: ${names}`}
  }
  return {...base, verdict: 'ok', detail: `${count}, every config readable`}
}

/** Signatures and windows depend on the clock; a minute of skew is what the gate tolerates. */
const MAX_SKEW_MS = 60_000

export function checkClock(nodeMs: number, beforeMs: number, afterMs: number): Finding {
  const base = {id: 'clock', title: 'Clock'}
  const skewMs = nodeMs < beforeMs - 1000 ? beforeMs - nodeMs : nodeMs > afterMs + 1000 ? nodeMs - afterMs : 0
  if (skewMs <= MAX_SKEW_MS) return {...base, verdict: 'ok', detail: 'agrees with the node within a minute'}
  const seconds = Math.round(skewMs / 1000)
  return {
    ...base,
    verdict: 'mend',
    detail: `this machine and the node differ by ${seconds} s`,
    advice: 'Let both follow a time server:',
    commands: ['timedatectl set-ntp true'],
  }
}
