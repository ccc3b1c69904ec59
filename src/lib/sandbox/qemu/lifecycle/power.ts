// POST status/{start,stop,shutdown,reboot,reset}: what is refused at once and what becomes a task.
import {flag, optionalText, type Call} from '../../call.ts'
import {checkLock} from '../../guest/snapshots.ts'
import {die, paramError} from '../../pve-error.ts'
import {requestHaState} from '../../ha/request-state.ts'
import {isHaManaged, requireQuorum} from '../../guest/status.ts'
import {startVm, type StartOptions} from './start.ts'
import {rebootVm, stopVm, type StopOptions} from './stop.ts'
import {isPaused, isRunning, placeOf, refuseUnlessRoot, startTask, withVm} from './vm.ts'
import type {VmPlace} from './vm.ts'
import type {TaskContext, Worker} from '../../tasks/task-runner.ts'

const INTERNAL_START_OPTIONS = [
  'stateuri',
  'skiplock',
  'migratedfrom',
  'migration_type',
  'migration_network',
  'targetstorage',
  'force-cpu',
  'with-conntrack-state',
  'nets-host-mtu',
]

const HA_SHUTDOWN_SECONDS = 60

export function start(call: Call): string {
  refuseUnlessRoot(call, ...INTERNAL_START_OPTIONS)
  const machine = optionalText(call, 'machine')
  const options = {skiplock: flag(call, 'skiplock'), ...(machine !== undefined && {machine})}
  return requestStart(call, options, (type, worker) => startTask(call, type, worker))
}

/** What create and rollback do when they are told to start afterwards: a task of its own, for which nobody waits. */
export function startAfterwards(call: Call): void {
  const {cluster, principal} = call
  const {node, vmid} = placeOf(call)
  requestStart(call, {}, (type, worker) =>
    cluster.tasks.start(node, type, String(vmid), principal.authid, worker, true),
  )
}

/** The HA manager starts a machine of its own in a task of its own, wherever it is by then. */
function requestStart(
  call: Call,
  options: StartOptions,
  fork: (type: string, worker: Worker) => string,
): string {
  const place = placeOf(call)
  const {cluster, vmid} = place
  requireQuorum(cluster)
  if (!isHaManaged(cluster, 'qemu', vmid)) return fork('qmstart', (task) => startVm(place, task, options))
  return fork('hastart', (task) => {
    task.log(`Requesting HA start for VM ${String(vmid)}`)
    requestHaState(cluster, 'qemu', vmid, 'started')
  })
}

export function stop(call: Call): string {
  refuseUnlessRoot(call, 'skiplock', 'keepActive', 'migratedfrom')
  const place = placeOf(call)
  const overrules = flag(call, 'overrule-shutdown')
  if (isHaManaged(call.cluster, 'qemu', place.vmid)) {
    if (overrules) paramError({'overrule-shutdown': 'Not applicable for HA resources.'})
    return askHaToStop(call, place, 0)
  }
  const options = {shutdown: false, force: true, skiplock: flag(call, 'skiplock'), ...timeoutOf(call)}
  return startTask(call, 'qmstop', async (task) => {
    if (overrules) await abortShutdowns(place, task)
    await stopVm(place, task, options)
  })
}

export function shutdown(call: Call): string {
  refuseUnlessRoot(call, 'skiplock', 'keepActive')
  const place = placeOf(call)
  const force = flag(call, 'forceStop')
  const paused = isPaused(place)
  if (paused && !force) die('VM is paused - cannot shutdown')
  if (isHaManaged(call.cluster, 'qemu', place.vmid)) {
    return askHaToStop(call, place, timeoutOf(call).timeoutSeconds ?? HA_SHUTDOWN_SECONDS)
  }
  const options = {shutdown: !paused, force, skiplock: flag(call, 'skiplock'), ...timeoutOf(call)}
  return startTask(call, 'qmshutdown', (task) => stopVm(place, task, options))
}

export function reboot(call: Call): string {
  const place = placeOf(call)
  if (isPaused(place)) die('VM is paused - cannot shutdown')
  requireRunning(place)
  const {timeoutSeconds} = timeoutOf(call)
  return startTask(call, 'qmreboot', (task) => rebootVm(place, task, timeoutSeconds))
}

export function reset(call: Call): string {
  refuseUnlessRoot(call, 'skiplock')
  const place = placeOf(call)
  requireRunning(place)
  const skiplock = flag(call, 'skiplock')
  return startTask(call, 'qmreset', () =>
    withVm(place, (guest) => {
      if (!skiplock) checkLock(guest)
    }),
  )
}

function askHaToStop(call: Call, {cluster, vmid}: VmPlace, timeoutSeconds: number): string {
  return startTask(call, 'hastop', (task) => {
    task.log(`Requesting HA stop for VM ${String(vmid)}`)
    requestHaState(cluster, 'qemu', vmid, 'stopped', timeoutSeconds)
  })
}

function requireRunning(place: VmPlace): void {
  if (!isRunning(place)) die(`VM ${String(place.vmid)} not running`)
}

function timeoutOf(call: Call): Pick<StopOptions, 'timeoutSeconds'> {
  const timeout = optionalText(call, 'timeout')
  return timeout === undefined ? {} : {timeoutSeconds: Number(timeout)}
}

/** Ends the shutdowns that wait for the guest system, so that the stop need not wait for their lock. */
async function abortShutdowns({cluster, node, vmid}: VmPlace, task: TaskContext): Promise<void> {
  const id = String(vmid)
  const active = [...cluster.tasks.running(node)].filter((t) => t.type === 'qmshutdown' && t.id === id)
  if (active.length === 0) return
  await Promise.all(active.map(({upid}) => cluster.tasks.stop(upid)))
  task.log(`overruled qmshutdown tasks: ${active.map(({upid}) => upid).join(', ')}`)
}
