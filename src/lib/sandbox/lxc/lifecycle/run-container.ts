// Starting and stopping one container: the bodies that power tasks, rollback, destroy and migration share.
// The caller holds the config lock and has checked `lock`.
import {die} from '../../pve-error.ts'
import {checkLock, isTemplate} from '../../guest/snapshots.ts'
import {isRunning, markStarted, markStopped} from '../../guest/status.ts'
import {requireVolume} from '../../storage/volumes.ts'
import {applyPendingAtStart} from '../config/apply-pending.ts'
import {renderHostConfig} from '../config/host-config.ts'
import {mountPointsOf, volumesIn} from './container-volumes.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

const LXC_STOP_DEFAULT_SECONDS = 60
/** After lxc-stop has given up, Proxmox waits for the container once more, so much longer than the time-out. */
const EXTRA_POLL_SECONDS = 5

/** Applies what was pending and starts; on failure the container stays stopped. One that runs goes on running. */
export async function startContainer(cluster: Cluster, guest: Guest, task: TaskContext): Promise<void> {
  if (isRunning(guest)) return
  applyPendingAtStart(cluster, guest)
  renderHostConfig(cluster, guest)
  for (const {volid} of volumesIn(guest.config)) requireVolume(cluster, volid, guest.node)
  await waitForInit(cluster, guest, task)
  if (guest.knobs.failStart) die(`startup for container '${String(guest.vmid)}' failed`)
  markStarted(cluster, guest)
  if (guest.knobs.warnStart) task.warn('the prestart hook reported a problem')
}

const STEP_SECONDS = 1

/** The start is a command that fails when its task is stopped meanwhile. The knob holds for those under way too. */
async function waitForInit(cluster: Cluster, {vmid}: Guest, task: TaskContext): Promise<void> {
  const {knobs} = cluster.state
  let waited = 0
  try {
    do {
      const step = Math.min(STEP_SECONDS, knobs.startDelaySeconds - waited)
      await task.sleep(step * 1000)
      waited += step
    } while (waited < knobs.startDelaySeconds)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    die(`command 'systemctl start pve-container@${String(vmid)}' failed: ${why}`)
  }
}

/** What the start action refuses; a guest under the lock `mounted` may start. */
export function checkStartable(guest: Guest, skipLock: boolean): void {
  if (isTemplate(guest)) die("you can't start a CT if it's a template")
  if (!skipLock) checkLockUnlessMounted(guest)
  if (guest.config['unprivileged'] !== '1') return
  if (mountPointsOf(guest.config).some((m) => m.values['quota'] === '1')) {
    die('Quotas are not supported by unprivileged containers.')
  }
}

export function checkLockUnlessMounted(guest: Guest): void {
  if (guest.config['lock'] !== 'mounted') checkLock(guest)
}

export interface StopOptions {
  /** At once, without asking the container. */
  kill?: boolean
  timeoutSeconds?: number
  killAfterTimeout?: boolean
}

export async function stopContainer(
  cluster: Cluster,
  guest: Guest,
  task: TaskContext,
  options: StopOptions,
): Promise<void> {
  if (!isRunning(guest)) return
  if (!options.kill && guest.knobs.hang) await outlastHangingContainer(guest, task, options)
  await task.sleep(cluster.state.knobs.stopDelaySeconds * 1000)
  markStopped(guest)
}

/** Returns when the container may be killed, dies when it may not. */
async function outlastHangingContainer(guest: Guest, task: TaskContext, options: StopOptions): Promise<void> {
  const {timeoutSeconds, killAfterTimeout} = options
  if (timeoutSeconds === 0) while (guest.knobs.hang) await task.sleep(1000)
  else await task.sleep((timeoutSeconds ?? LXC_STOP_DEFAULT_SECONDS) * 1000)
  if (killAfterTimeout || timeoutSeconds === 0) return
  task.log(`command '${lxcStopCommand(guest.vmid, options)}' failed: exit code 1`)
  await task.sleep(((timeoutSeconds ?? 0) + EXTRA_POLL_SECONDS) * 1000)
  die('container did not stop')
}

function lxcStopCommand(vmid: number, {timeoutSeconds, killAfterTimeout}: StopOptions): string {
  const parts = ['lxc-stop', '-n', String(vmid)]
  if (!killAfterTimeout) parts.push('--nokill')
  if (timeoutSeconds !== undefined) parts.push('--timeout', String(timeoutSeconds))
  return parts.join(' ')
}
