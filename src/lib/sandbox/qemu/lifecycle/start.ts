// The start of a machine: the checks in Proxmox's order, pending changes, a saved state, and what can go wrong.
import {checkLock, isTemplate} from '../../guest/snapshots.ts'
import {die} from '../../pve-error.ts'
import {findVolume, freeVolume, requireStorage, tryParseVolid} from '../../storage/volumes.ts'
import {applyPendingAtStart} from '../config/apply-pending.ts'
import {drivesOf, fileOf} from '../config/drive.ts'
import {runningMachine} from './machine.ts'
import {checkStartable, missingBridge} from './start-checks.ts'
import {isUp, withVm, type VmPlace} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

export interface StartOptions {
  skiplock?: boolean
  /** Continues a saved state: nothing pending is applied. */
  fromState?: boolean
  /** Instead of what the config says: a rollback's or a migration's machine type. */
  machine?: string
}

const STATE_OPTIONS = ['vmstate', 'runningmachine', 'runningcpu', 'running-nets-host-mtu'] as const

/** The body of a start task. */
export function startVm(place: VmPlace, task: TaskContext, options: StartOptions = {}): Promise<void> {
  return withVm(place, (guest) => startLocked(place.cluster, guest, task, options))
}

/** Under the config lock already. */
export async function startLocked(
  cluster: Cluster,
  guest: Guest,
  task: TaskContext,
  options: StartOptions = {},
): Promise<void> {
  if (isTemplate(guest)) die("you can't start a vm if it's a template")
  const lock = guest.config['lock']
  if (lock === 'backup' && isUp(guest)) {
    // The backup runs the machine paused: "starting" it only lets it go on.
    delete guest.runtime.paused
    return
  }
  const isSuspended = lock === 'suspended'
  if (options.skiplock !== true && !isSuspended) checkLock(guest)
  if (isUp(guest)) die(`VM ${String(guest.vmid)} already running`)
  await launch(cluster, guest, task, options, isSuspended || guest.config['vmstate'] !== undefined)
}

async function launch(
  cluster: Cluster,
  guest: Guest,
  task: TaskContext,
  options: StartOptions,
  isResume: boolean,
): Promise<void> {
  if (options.fromState !== true && !isResume) applyPendingAtStart(cluster, guest)
  if (isResume) task.log('Resuming suspended VM')
  requireVolumes(cluster, guest)
  checkStartable(cluster, guest, task)
  await task.sleep(cluster.state.knobs.startDelaySeconds * 1000)
  refuseBrokenStart(cluster, guest, task)
  const forced = options.machine ?? (isResume ? guest.config['runningmachine'] : undefined)
  powerOn(cluster, guest, runningMachine(forced === undefined ? guest.config : {machine: forced}))
  if (isResume) forgetSavedState(cluster, guest, task)
}

/** Sets the machine running; nothing else may do that. */
export function powerOn(cluster: Cluster, guest: Guest, machine: string): void {
  guest.runtime = {status: 'running', pid: cluster.tasks.nextPid(), startedMs: cluster.clock.now(), machine}
}

/** Activating volumes is the first thing that fails when a disk has gone. */
function requireVolumes(cluster: Cluster, guest: Guest): void {
  for (const {drive} of drivesOf(guest.config)) {
    const file = fileOf(drive)
    const id = tryParseVolid(file)
    if (!id) continue
    requireStorage(cluster, id.storage, guest.node)
    if (!findVolume(cluster, file, guest.node)) die(`volume '${file}' does not exist`)
  }
}

function refuseBrokenStart(cluster: Cluster, guest: Guest, task: TaskContext): void {
  const missing = missingBridge(cluster, guest)
  if (missing !== undefined) task.log(`bridge '${missing}' does not exist`)
  else if (guest.knobs.failStart !== true) return
  else task.log('kvm: could not open disk image')
  die('start failed: QEMU exited with code 1')
}

function forgetSavedState(cluster: Cluster, guest: Guest, task: TaskContext): void {
  task.log('Resumed VM, removing state')
  const volid = guest.config['vmstate']
  if (volid !== undefined) freeVolume(cluster, volid, guest.node)
  delete guest.config['lock']
  for (const option of STATE_OPTIONS) Reflect.deleteProperty(guest.config, option)
}
