// What list and status answers of both kinds of guest share: uptime, process, place in the HA manager.
import {die} from '../pve-error.ts'
import type {Cluster} from '../cluster.ts'
import type {Guest, HaResource, Kind} from '../state.ts'

const HA_PREFIX: Record<Kind, string> = {lxc: 'ct', qemu: 'vm'}

export const isRunning = (guest: Guest | undefined): boolean => guest?.runtime.status === 'running'

/** The HA manager's name of a guest: `ct:101`, `vm:200`. */
export const serviceId = (kind: Kind, vmid: number): string => `${HA_PREFIX[kind]}:${String(vmid)}`

export function uptimeSeconds(cluster: Cluster, guest: Guest): number {
  const {startedMs} = guest.runtime
  if (!isRunning(guest) || startedMs === undefined) return 0
  return Math.max(0, Math.floor((cluster.clock.now() - startedMs) / 1000))
}

export function haResource(cluster: Cluster, kind: Kind, vmid: number): HaResource | undefined {
  const sid = serviceId(kind, vmid)
  return cluster.state.ha.find((r) => r.sid === sid)
}

/** Whether power actions go to the HA manager; an ignored resource is configured, but not managed. */
export function isHaManaged(cluster: Cluster, kind: Kind, vmid: number): boolean {
  const resource = haResource(cluster, kind, vmid)
  return resource !== undefined && resource.state !== 'ignored'
}

/** The `ha` of GET status/current: what the manager makes of it, once it has looked. */
export function haStatus(cluster: Cluster, guest: Guest): Record<string, unknown> {
  const resource = haResource(cluster, guest.kind, guest.vmid)
  if (!resource || resource.state === 'ignored') return {managed: 0}
  return {managed: 1, state: managerState(resource, isRunning(guest))}
}

/** A service on its way up already counts as started; what is to be disabled is stopped first. */
export function managerState({state}: HaResource, isRunning: boolean): string {
  if (state === 'started') return 'started'
  return isRunning ? 'request_stop' : 'stopped'
}

/** Without quorum whatever would write to the cluster's file system refuses beforehand. */
export function requireQuorum(cluster: Cluster): void {
  if (!cluster.state.quorate) die('cluster not ready - no quorum?')
}

/** The guest runs from now on, as a new process. */
export function markStarted(cluster: Cluster, guest: Guest): void {
  guest.runtime = {status: 'running', pid: cluster.tasks.nextPid(), startedMs: cluster.clock.now()}
}

export function markStopped(guest: Guest): void {
  guest.runtime = {status: 'stopped'}
}
