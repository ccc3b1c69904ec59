// POST status/{start,stop,shutdown,reboot,suspend,resume}. Whether the container runs is answered at once;
// everything else, a missing config file among it, is the task's business.
import {flag, nodeOf, optionalText, vmidOf, type Call} from '../../call.ts'
import {die, paramError} from '../../pve-error.ts'
import {ROOT} from '../../access/permissions.ts'
import {checkLock} from '../../guest/snapshots.ts'
import {isHaManaged, isRunning, requireQuorum} from '../../guest/status.ts'
import {requestHaState} from '../../ha/request-state.ts'
import {
  checkLockUnlessMounted,
  checkStartable,
  startContainer,
  stopContainer,
  type StopOptions,
} from './run-container.ts'
import type {Guest} from '../../state.ts'
import type {TaskContext, Worker} from '../../tasks/task-runner.ts'

const DEFAULT_SHUTDOWN_SECONDS = 60
const CHECKPOINT_FOLDER = '/var/lib/vz/dump'

/** Starts a task of the caller on the called node about the called guest. */
export function forkTask(call: Call, type: string, worker: Worker, id = String(vmidOf(call))): string {
  return call.cluster.tasks.start(nodeOf(call), type, id, call.principal.authid, worker)
}

/** Runs `work` under the config lock with the guest as it is then. */
export function withGuest<T>(call: Call, work: (guest: Guest) => T | Promise<T>): Promise<T> {
  const {cluster} = call
  return cluster.locks.withLock('lxc', vmidOf(call), () =>
    work(cluster.requireGuest('lxc', nodeOf(call), vmidOf(call))),
  )
}

export function isContainerRunning(call: Call, vmid = vmidOf(call)): boolean {
  const guest = call.cluster.guest(vmid)
  return guest?.kind === 'lxc' && guest.node === nodeOf(call) && isRunning(guest)
}

export function start(call: Call): string {
  return requestStart(call, (type, worker) => forkTask(call, type, worker))
}

function requestStart(call: Call, fork: (type: string, worker: Worker) => string): string {
  const skipLock = maySkipLock(call)
  const vmid = vmidOf(call)
  if (isContainerRunning(call)) die(`CT ${String(vmid)} already running`)
  requireQuorum(call.cluster)
  if (isHaManaged(call.cluster, 'lxc', vmid)) {
    return fork('hastart', (task) => {
      task.log(`Requesting HA start for CT ${String(vmid)}`)
      requestHaState(call.cluster, 'lxc', vmid, 'started')
    })
  }
  return fork('vzstart', (task) => startUnderLock(call, task, skipLock))
}

/** The body of a start task. */
function startUnderLock(call: Call, task: TaskContext, skipLock = false): Promise<void> {
  return withGuest(call, async (guest) => {
    checkStartable(guest, skipLock)
    await startContainer(call.cluster, guest, task)
  })
}

/** What create and rollback do when they are told to start afterwards: a task of its own, for which nobody waits. */
export function startAfterwards(call: Call): void {
  const {cluster, principal} = call
  const own: Call = {...call, params: {node: nodeOf(call), vmid: String(vmidOf(call))}}
  requestStart(own, (type, worker) =>
    cluster.tasks.start(nodeOf(call), type, String(vmidOf(call)), principal.authid, worker, true),
  )
}

export function stop(call: Call): string {
  const skipLock = maySkipLock(call)
  const vmid = vmidOf(call)
  requireRunning(call, 'CT')
  const overrule = flag(call, 'overrule-shutdown')
  if (isHaManaged(call.cluster, 'lxc', vmid)) {
    if (overrule) paramError({'overrule-shutdown': 'Not applicable for HA resources.'})
    return forkTask(call, 'hastop', (task) => {
      requestHaStop(call, task, 0)
    })
  }
  return forkTask(call, 'vzstop', async (task) => {
    if (overrule) abortShutdowns(call, task)
    await withGuest(call, async (guest) => {
      if (!skipLock) checkLockUnlessMounted(guest)
      await stopContainer(call.cluster, guest, task, {kill: true})
    })
  })
}

export function shutdown(call: Call): string {
  const vmid = vmidOf(call)
  const timeoutSeconds = Number(optionalText(call, 'timeout') ?? DEFAULT_SHUTDOWN_SECONDS)
  const killAfterTimeout = flag(call, 'forceStop')
  requireRunning(call, 'CT')
  if (isHaManaged(call.cluster, 'lxc', vmid)) {
    return forkTask(call, 'hastop', (task) => {
      requestHaStop(call, task, timeoutSeconds)
    })
  }
  return forkTask(call, 'vzshutdown', (task) =>
    shutdownUnderLock(call, task, {timeoutSeconds, killAfterTimeout}),
  )
}

function shutdownUnderLock(call: Call, task: TaskContext, options: StopOptions): Promise<void> {
  return withGuest(call, async (guest) => {
    checkLock(guest)
    await stopContainer(call.cluster, guest, task, options)
  })
}

function requestHaStop(call: Call, task: TaskContext, timeoutSeconds: number): void {
  task.log(`Requesting HA stop for CT ${String(vmidOf(call))}`)
  requestHaState(call.cluster, 'lxc', vmidOf(call), 'stopped', timeoutSeconds)
}

/** A hanging container is killed when the time is up; the `lock` of the config is not asked. */
export function reboot(call: Call): string {
  requireRunning(call, 'VM')
  const timeout = optionalText(call, 'timeout')
  return forkTask(call, 'vzreboot', (task) =>
    withGuest(call, async (guest) => {
      if (!isRunning(guest)) return
      const timeoutSeconds = timeout === undefined ? undefined : Number(timeout)
      await stopContainer(call.cluster, guest, task, {
        killAfterTimeout: true,
        ...(timeoutSeconds !== undefined && {timeoutSeconds}),
      })
      await startContainer(call.cluster, guest, task)
    }),
  )
}

/** Checkpointing needs a tool that cannot freeze a container under systemd, so the task always fails. */
export function suspend(call: Call): string {
  requireRunning(call, 'CT')
  return forkTask(call, 'vzsuspend', (task) =>
    withGuest(call, (guest) => {
      checkLock(guest)
      failCheckpoint(task, guest.vmid, '-s')
    }),
  )
}

export function resume(call: Call): string {
  const vmid = vmidOf(call)
  if (isContainerRunning(call)) die(`CT ${String(vmid)} already running`)
  return forkTask(call, 'vzresume', (task) => {
    failCheckpoint(task, vmid, '-r --foreground')
  })
}

function failCheckpoint(task: TaskContext, vmid: number, mode: string): never {
  const id = String(vmid)
  task.log(`lxc-checkpoint: ${id}: Insufficient privileges to control ${id}`)
  die(`command 'lxc-checkpoint -n ${id} ${mode} -D ${CHECKPOINT_FOLDER}' failed: exit code 1`)
}

function requireRunning(call: Call, what: string): void {
  if (!isContainerRunning(call)) die(`${what} ${String(vmidOf(call))} not running`)
}

function maySkipLock(call: Call): boolean {
  if (!flag(call, 'skiplock')) return false
  if (call.principal.authid !== ROOT) paramError({skiplock: 'Only root may use this option.'})
  return true
}

function abortShutdowns(call: Call, task: TaskContext): void {
  const id = String(vmidOf(call))
  const running = [...call.cluster.tasks.running(nodeOf(call))].filter(
    (t) => t.exitstatus === undefined && t.type === 'vzshutdown' && t.id === id,
  )
  for (const {upid} of running) call.cluster.tasks.kill(upid)
  if (running.length > 0) task.log(`overruled vzshutdown tasks: ${running.map((t) => t.upid).join(', ')}`)
}
