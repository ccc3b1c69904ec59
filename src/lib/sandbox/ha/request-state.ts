// What is asked of the HA manager, and what it then does: tasks of its own, as root, where the guest is by then.
// A request ends at once; the state follows some seconds later, unless another was asked for meanwhile.
import {ROOT} from '../access/permissions.ts'
import {checkLock} from '../guest/snapshots.ts'
import {haResource, isRunning} from '../guest/status.ts'
import {checkStartable, startContainer, stopContainer} from '../lxc/lifecycle/run-container.ts'
import {startVm} from '../qemu/lifecycle/start.ts'
import {stopVm} from '../qemu/lifecycle/stop.ts'
import type {Cluster} from '../cluster.ts'
import type {Guest, HaResource, Kind} from '../state.ts'
import type {TaskContext, Worker} from '../tasks/task-runner.ts'

/** The manager and the node's agent each look every few seconds. */
const REACTION_MS = 5_000
const STOP_SECONDS = 60

/** Of several requests about one guest only the last is acted upon. */
const latestRequests = new WeakMap<HaResource, object>()

/** Notes the wanted state of a managed guest. A stop with no time at all does not ask the guest system. */
export function requestHaState(
  cluster: Cluster,
  kind: Kind,
  vmid: number,
  state: string,
  stopSeconds = STOP_SECONDS,
): void {
  const resource = haResource(cluster, kind, vmid)
  if (!resource) return
  resource.state = state
  delete resource.isStateImplied
  const request = {}
  latestRequests.set(resource, request)
  requestHaAction(cluster, () => {
    const guest = cluster.guest(vmid)
    const isManaged = haResource(cluster, kind, vmid) === resource
    const isLatest = latestRequests.get(resource) === request && resource.state === state
    if (guest && isManaged && isLatest) driveToState(cluster, guest, state, stopSeconds)
  })
}

/** Something that the manager does when it next looks, a migration for example. */
export function requestHaAction(cluster: Cluster, act: () => void): void {
  void cluster.clock.sleep(REACTION_MS).then(act)
}

/** An ignored service is let go of, anything else is brought to where it should be. */
function driveToState(cluster: Cluster, guest: Guest, state: string, stopSeconds: number): void {
  const fork = (type: string, worker: Worker): void => {
    cluster.tasks.start(guest.node, type, String(guest.vmid), ROOT, worker)
  }
  const isLxc = guest.kind === 'lxc'
  if (state === 'started' && !isRunning(guest)) {
    fork(isLxc ? 'vzstart' : 'qmstart', (task) => start(cluster, guest, task))
  }
  if ((state === 'stopped' || state === 'disabled') && isRunning(guest)) {
    const action = stopSeconds === 0 ? 'stop' : 'shutdown'
    fork(`${isLxc ? 'vz' : 'qm'}${action}`, (task) => stop(cluster, guest, task, stopSeconds))
  }
}

function start(cluster: Cluster, {kind, node, vmid}: Guest, task: TaskContext): Promise<void> {
  if (kind === 'qemu') return startVm({cluster, node, vmid}, task)
  return cluster.locks.withLock(kind, vmid, () => {
    const guest = cluster.requireGuest(kind, node, vmid)
    checkStartable(guest, false)
    return startContainer(cluster, guest, task)
  })
}

function stop(
  cluster: Cluster,
  {kind, node, vmid}: Guest,
  task: TaskContext,
  seconds: number,
): Promise<void> {
  const isHard = seconds === 0
  if (kind === 'qemu') {
    const timeout = isHard ? {} : {timeoutSeconds: seconds}
    return stopVm({cluster, node, vmid}, task, {shutdown: !isHard, force: true, ...timeout})
  }
  return cluster.locks.withLock(kind, vmid, () => {
    const guest = cluster.requireGuest(kind, node, vmid)
    checkLock(guest)
    const options = isHard ? {kill: true} : {timeoutSeconds: seconds, killAfterTimeout: true}
    return stopContainer(cluster, guest, task, options)
  })
}
