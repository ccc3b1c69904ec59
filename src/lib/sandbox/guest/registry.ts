// Guests come and go: new ids, config files that appear under a lock, and what is forgotten with a guest.
import {PveError, die} from '../pve-error.ts'
import type {Cluster} from '../cluster.ts'
import type {Guest, Kind, Section} from '../state.ts'

/** "CT 100 already exists on node 'pve'", whichever kind asks. */
export function requireVmidUnused(cluster: Cluster, vmid: number): void {
  const guest = cluster.guest(vmid)
  if (!guest) return
  die(`${guest.kind === 'lxc' ? 'CT' : 'VM'} ${String(vmid)} already exists on node '${guest.node}'`)
}

/** A config file that holds nothing but its lock; the vmid is taken from now on. */
export function addGuest(cluster: Cluster, kind: Kind, vmid: number, node: string, config: Section): Guest {
  requireVmidUnused(cluster, vmid)
  const guest: Guest = {
    kind,
    vmid,
    node,
    config,
    pending: {},
    pendingDelete: {},
    snapshots: {},
    runtime: {status: 'stopped'},
    knobs: {},
  }
  cluster.state.guests.set(vmid, guest)
  return guest
}

/** The config file goes; its vmid can be used again. */
export function removeGuest(cluster: Cluster, vmid: number): void {
  cluster.state.guests.delete(vmid)
}

/** Pool membership and permissions of a destroyed guest, which always go with it. */
export function removeGuestAccess(cluster: Cluster, vmid: number): void {
  for (const pool of cluster.state.pools) pool.vmids = pool.vmids.filter((id) => id !== vmid)
  const {access} = cluster.state
  access.acl = access.acl.filter((entry) => entry.path !== `/vms/${String(vmid)}`)
}

export function requirePool(cluster: Cluster, poolid: string): void {
  if (cluster.state.pools.some((p) => p.poolid === poolid)) return
  throw new PveError(403, `Permission check failed (pool '${poolid}' does not exist)\n`)
}

export function joinPool(cluster: Cluster, poolid: string, vmid: number): void {
  const pool = cluster.state.pools.find((p) => p.poolid === poolid)
  if (pool && !pool.vmids.includes(vmid)) pool.vmids.push(vmid)
}
