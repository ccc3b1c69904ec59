// What every operation on a machine begins with: finding it, its locks, its task, the options only root may use.
import {nodeOf, optionalText, vmidOf, type Call} from '../../call.ts'
import {die, paramError, PveError} from '../../pve-error.ts'
import {isTrue} from '../config/drive.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'
import type {Worker} from '../../tasks/task-runner.ts'

/** A machine by its place; it may be gone by the time a task gets to it. */
export interface VmPlace {
  cluster: Cluster
  node: string
  vmid: number
}

export const placeOf = (call: Call): VmPlace => ({
  cluster: call.cluster,
  node: nodeOf(call),
  vmid: vmidOf(call),
})

/** The machine, or "Configuration file '…' does not exist". */
export const requireVm = ({cluster, node, vmid}: VmPlace): Guest => cluster.requireGuest('qemu', node, vmid)

/** Whether the machine runs on that node; Proxmox words a missing machine differently here. */
export function isRunning({cluster, node, vmid}: VmPlace): boolean {
  const guest = cluster.guest(vmid)
  if (guest?.kind === 'qemu' && guest.node === node) return guest.runtime.status === 'running'
  die(`unable to find configuration file for VM ${String(vmid)} on node '${node}'`)
}

/** Paused, or asleep by its own doing; a machine that does not run is not paused. */
export function isPaused({cluster, node, vmid}: VmPlace): boolean {
  const guest = cluster.guest(vmid)
  return guest?.kind === 'qemu' && guest.node === node && isUp(guest) && guest.runtime.paused === true
}

export const isUp = (guest: Guest): boolean => guest.runtime.status === 'running'

/** The 400 for options that even root's tokens may not use. */
export function refuseUnlessRoot(call: Call, ...names: string[]): void {
  if (call.principal.authid === 'root@pam') return
  for (const name of names) {
    if (isTrue(optionalText(call, name))) paramError({[name]: 'Only root may use this option.'})
  }
}

export function startTask(call: Call, type: string, worker: Worker, id = String(vmidOf(call))): string {
  return call.cluster.tasks.start(nodeOf(call), type, id, call.principal.authid, worker)
}

/** Runs `work` under the machine's config lock and gives it the machine as it is by then. */
export function withVm<T>(
  place: VmPlace,
  work: (guest: Guest) => T | Promise<T>,
  timeoutMs = 10_000,
): Promise<T> {
  return place.cluster.locks.withLock('qemu', place.vmid, () => work(requireVm(place)), timeoutMs)
}

/** Text of the digest check of move and reassign; config and resize have their own. */
export const MODIFIED = 'detected modified configuration - file changed by other user? Try again.'

export const memoryMiB = (config: Section): number => {
  const text = config['memory'] ?? '512'
  const current = /(?:^|,)(?:current=)?(\d+)/.exec(text)?.[1]
  return current === undefined ? 512 : Number(current)
}

/** Truth of a boolean option inside a config section. */
export const isSet = (config: Section, option: string): boolean => isTrue(config[option])

/** Perl's truth, telling the compiler that there is a text. */
export const isTruthy = (text: string | undefined): text is string => isTrue(text)

export function requireNode(cluster: Cluster, node: string): void {
  if (!cluster.node(node)) die(`no such cluster node '${node}'`)
}

/** What a worker that cleans up says of the error it passes on; anything that is not Proxmox's own is a signal. */
export function reasonOf(error: unknown): string {
  return error instanceof PveError ? error.asText() : 'interrupted by signal'
}
