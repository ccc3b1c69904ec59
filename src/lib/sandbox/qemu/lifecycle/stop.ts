// The end of a running machine: shutdown, stop and reboot, with Proxmox's waiting in whole seconds.
import {ROOT} from '../../access/permissions.ts'
import {checkLock} from '../../guest/snapshots.ts'
import {die} from '../../pve-error.ts'
import {applyPendingAtStop} from '../config/apply-pending.ts'
import {startVm} from './start.ts'
import {isRunning, isUp, requireVm, type VmPlace} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

export interface StopOptions {
  /** Asks the guest system; otherwise the hypervisor quits. */
  shutdown: boolean
  /** Ends the process when the time is over. */
  force: boolean
  timeoutSeconds?: number
  skiplock?: boolean
}

const DEFAULT_TIMEOUT_SECONDS = 60
const KILL_WAIT_SECONDS = 10
/** How long the event daemon takes to notice the end of a machine that is to come back. */
const RESTART_MS = 1000

/** The body of a stop or shutdown task. */
export function stopVm(place: VmPlace, task: TaskContext, options: StopOptions): Promise<void> {
  return place.cluster.locks.withLock('qemu', place.vmid, () => stopLocked(place, task, options))
}

/** Under the config lock already. What does not run is stopped, whatever its locks. */
export async function stopLocked(place: VmPlace, task: TaskContext, options: StopOptions): Promise<void> {
  if (!isRunning(place)) return
  const {cluster} = place
  const guest = requireVm(place)
  if (options.skiplock !== true) checkLock(guest)
  const timeout = options.timeoutSeconds ?? (options.shutdown ? startupDown(guest) : undefined)
  if (!options.shutdown || guest.knobs.hang !== true) powerOffSoon(cluster, guest)
  if (!(await waitForEnd(guest, task, timeout ?? DEFAULT_TIMEOUT_SECONDS))) {
    if (!options.force) die('VM quit/powerdown failed - got timeout')
    task.log('VM still running - terminating now with SIGTERM')
    powerOffSoon(cluster, guest)
    if (!(await waitForEnd(guest, task, KILL_WAIT_SECONDS))) powerOff(guest)
  }
  applyPendingAtStop(cluster, guest)
}

/** `startup: order=1,down=120`. */
function startupDown(guest: Guest): number | undefined {
  const down = /(?:^|,)down=(\d+)/.exec(guest.config['startup'] ?? '')?.[1]
  return down === undefined || down === '0' ? undefined : Number(down)
}

/** Looks once a second; whoever ends in the very last second has still timed out. */
async function waitForEnd(guest: Guest, task: TaskContext, seconds: number): Promise<boolean> {
  let count = 0
  while (count < seconds && isUp(guest)) {
    count++
    await task.sleep(1000)
  }
  return count < seconds
}

/** The guest system takes its time, and goes on ending even when the task that asked is gone. */
function powerOffSoon(cluster: Cluster, guest: Guest): void {
  const {pid} = guest.runtime
  void cluster.clock.sleep(cluster.state.knobs.stopDelaySeconds * 1000).then(() => {
    if (guest.runtime.pid === pid) powerOff(guest)
  })
}

/** Nothing else may end a running machine. */
export function powerOff(guest: Guest): void {
  guest.runtime = {status: 'stopped'}
}

/** The body of a reboot task: a shutdown after which the event daemon starts the machine again. */
export async function rebootVm(place: VmPlace, task: TaskContext, timeoutSeconds?: number): Promise<void> {
  const {cluster, vmid, node} = place
  await stopVm(place, task, {
    shutdown: true,
    force: false,
    ...(timeoutSeconds !== undefined && {timeoutSeconds}),
  })
  if (cluster.state.knobs.isHypervisorFaked === true) return
  void cluster.clock.sleep(RESTART_MS).then(() => {
    const guest = cluster.guest(vmid)
    if (!guest || isUp(guest)) return
    cluster.tasks.start(node, 'qmstart', String(vmid), ROOT, (restart) => startVm(place, restart))
  })
}
