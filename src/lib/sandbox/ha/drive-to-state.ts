// What the HA manager does to a guest: tasks of its own, as root, on the node where the guest is by then.
import {startContainer, stopContainer} from '../lxc/lifecycle/run-container.ts'
import {startVm} from '../qemu/lifecycle/start.ts'
import {stopVm} from '../qemu/lifecycle/stop.ts'
import type {Cluster} from '../cluster.ts'

const ROOT = 'root@pam'
const STOP_SECONDS = 60

export function driveToState(cluster: Cluster, vmid: number, state: string): void {
  const guest = cluster.guest(vmid)
  if (!guest) return
  const isRunning = guest.runtime.status === 'running'
  if (state === 'started' && !isRunning) start(cluster, vmid)
  if ((state === 'stopped' || state === 'disabled') && isRunning) stop(cluster, vmid)
}

function start(cluster: Cluster, vmid: number): void {
  const guest = cluster.guest(vmid)
  if (!guest) return
  const {node, kind} = guest
  cluster.tasks.start(node, kind === 'lxc' ? 'vzstart' : 'qmstart', String(vmid), ROOT, (task) => {
    if (kind === 'qemu') return startVm({cluster, node, vmid}, task)
    return cluster.locks.withLock(kind, vmid, () => startContainer(cluster, guest, task))
  })
}

function stop(cluster: Cluster, vmid: number): void {
  const guest = cluster.guest(vmid)
  if (!guest) return
  const {node, kind} = guest
  cluster.tasks.start(node, kind === 'lxc' ? 'vzshutdown' : 'qmshutdown', String(vmid), ROOT, (task) => {
    if (kind === 'qemu') {
      return stopVm({cluster, node, vmid}, task, {shutdown: true, force: true, timeoutSeconds: STOP_SECONDS})
    }
    const options = {timeoutSeconds: STOP_SECONDS, killAfterTimeout: true}
    return cluster.locks.withLock(kind, vmid, () => stopContainer(cluster, guest, task, options))
  })
}
