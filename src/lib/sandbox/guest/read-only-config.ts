// A guest's config file while the cluster has no quorum: whatever work changes goes back, and the work fails
// with the words of a file that cannot be written.
import {die} from '../pve-error.ts'
import {renderConfigFile} from './config-file.ts'
import type {Guest} from '../state.ts'

/** What it takes of the cluster. */
export interface ReadOnlyHost {
  guest(vmid: number): Guest | undefined
  readonly tasks: {nextPid(): number}
}

export function fileRefusal(host: ReadOnlyHost, {kind, vmid, node}: Guest): string {
  const folder = kind === 'lxc' ? 'lxc' : 'qemu-server'
  const draft = `/etc/pve/nodes/${node}/${folder}/${String(vmid)}.conf.tmp.${String(host.tasks.nextPid())}`
  return `unable to open file '${draft}' - Permission denied`
}

export async function refuseChanges<T>(
  host: ReadOnlyHost,
  vmid: number,
  work: () => T | Promise<T>,
): Promise<T> {
  const guest = host.guest(vmid)
  if (!guest) return work()
  const {kind, config, pending, pendingDelete, snapshots, cloudinit} = guest
  const before = structuredClone({
    ...{kind, config, pending, pendingDelete, snapshots},
    ...(cloudinit && {cloudinit}),
  })
  const putBack = (): boolean => {
    if (renderConfigFile(guest) === renderConfigFile(before)) return false
    delete guest.cloudinit
    Object.assign(guest, before)
    return true
  }
  let result: T
  try {
    result = await work()
  } catch (error) {
    putBack()
    throw error
  }
  if (putBack()) die(fileRefusal(host, guest))
  return result
}
