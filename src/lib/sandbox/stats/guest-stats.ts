// The statistics that each node's daemon gathers every ten seconds and tells the cluster: what
// /cluster/resources and pools show of a guest. They may be as old as that, and older when the node is gone.
import {containerRow} from '../lxc/lifecycle/container-status.ts'
import {vmStatus} from '../qemu/lifecycle/status.ts'
import type {Cluster} from '../cluster.ts'
import type {Guest} from '../state.ts'

export type GuestStats = Record<string, unknown>

const PERIOD_MS = 10_000
/** What a silent node said last is forgotten after that. */
const EXPIRY_MS = 300_000

interface Gathered {
  tick: number
  byVmid: Map<number, {atMs: number; stats: GuestStats}>
}

const gathered = new WeakMap<Cluster, Gathered>()

/** Gathers anew when a period has begun. Called before changes, so that they show only with the next period. */
export function keepStatistics(cluster: Cluster): Gathered {
  let known = gathered.get(cluster)
  if (!known) {
    known = {tick: -1, byVmid: new Map()}
    gathered.set(cluster, known)
  }
  const tick = currentTick(cluster)
  if (tick > known.tick) {
    known.tick = tick
    gather(cluster, known)
  }
  return known
}

/** Whether anything was told yet; until then nodes and storages are as unknown as guests. */
export const hasStatistics = (cluster: Cluster): boolean => keepStatistics(cluster).tick >= 0

/** The recorded node had just come up: its daemon had told nothing yet. */
function currentTick(cluster: Cluster): number {
  const elapsedMs = cluster.clock.now() - cluster.startedMs
  const ticks = Math.floor(elapsedMs / PERIOD_MS)
  return cluster.state.knobs.isHypervisorFaked ? ticks - 1 : ticks
}

function gather(cluster: Cluster, known: Gathered): void {
  const atMs = cluster.clock.now()
  const online = new Set(cluster.state.nodes.filter((n) => n.online).map((n) => n.name))
  const byVmid: Gathered['byVmid'] = new Map()
  for (const guest of cluster.state.guests.values()) {
    const last = known.byVmid.get(guest.vmid)
    if (online.has(guest.node)) byVmid.set(guest.vmid, {atMs, stats: readStats(cluster, guest)})
    else if (last && atMs - last.atMs < EXPIRY_MS) byVmid.set(guest.vmid, last)
  }
  known.byVmid = byVmid
}

function readStats(cluster: Cluster, guest: Guest): GuestStats {
  const row = guest.kind === 'lxc' ? containerRow(cluster, guest) : vmStatus(cluster, guest, false)
  const number = (key: string): number => Number(row[key] ?? 0)
  return {
    uptime: number('uptime'),
    name: row['name'],
    status: row['status'],
    template: number('template'),
    maxcpu: number('cpus'),
    cpu: number('cpu'),
    maxmem: number('maxmem'),
    mem: number('mem'),
    maxdisk: number('maxdisk'),
    disk: number('disk'),
    netin: number('netin'),
    netout: number('netout'),
    diskread: number('diskread'),
    diskwrite: number('diskwrite'),
    memhost: number('memhost'),
  }
}

/** A guest's row as resources and pools show it: placed at once, known only as the statistics know it. */
export function guestRow(cluster: Cluster, guest: Guest): Record<string, unknown> {
  const {kind, vmid, node} = guest
  const stats = keepStatistics(cluster).byVmid.get(vmid)?.stats
  return {id: `${kind}/${String(vmid)}`, vmid, node, type: kind, status: 'unknown', ...stats}
}
