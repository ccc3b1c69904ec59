// POST status/{start,stop,shutdown,reboot,reset}: what is refused at once and what becomes a task.
import {ROOT} from '../../access/permissions.ts'
import {flag, optionalText, type Call} from '../../call.ts'
import {checkLock} from '../../guest/snapshots.ts'
import {die, paramError} from '../../pve-error.ts'
import {requestHaState} from '../../guest/ha-requests.ts'
import {isHaManaged, requireQuorum} from '../../guest/status.ts'
import {startVm} from './start.ts'
import {rebootVm, stopVm, type StopOptions} from './stop.ts'
import {isPaused, isRunning, placeOf, refuseUnlessRoot, startTask, withVm} from './vm.ts'
import type {VmPlace} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

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
  const place = placeOf(call)
  const machine = optionalText(call, 'machine')
  requireQuorum(call.cluster)
  if (isHaManaged(call.cluster, 'qemu', place.vmid)) return askHaToStart(call, place)
  const options = {skiplock: flag(call, 'skiplock'), ...(machine !== undefined && {machine})}
  return startTask(call, 'qmstart', (task) => startVm(place, task, options))
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

/** The manager starts the machine in a task of its own, wherever it is by then. */
function askHaToStart(call: Call, {cluster, vmid}: VmPlace): string {
  return startTask(call, 'hastart', (task) => {
    task.log(`Requesting HA start for VM ${String(vmid)}`)
    requestHaState(cluster, 'qemu', vmid, 'started', () => {
      runAsRoot(cluster, vmid, 'qmstart', startVm)
    })
  })
}

function askHaToStop(call: Call, {cluster, vmid}: VmPlace, timeoutSeconds: number): string {
  const options: StopOptions = {shutdown: timeoutSeconds > 0, force: true, timeoutSeconds}
  return startTask(call, 'hastop', (task) => {
    task.log(`Requesting HA stop for VM ${String(vmid)}`)
    requestHaState(cluster, 'qemu', vmid, 'stopped', () => {
      runAsRoot(cluster, vmid, 'qmshutdown', (place, worker) => stopVm(place, worker, options))
    })
  })
}

function runAsRoot(
  cluster: Cluster,
  vmid: number,
  type: string,
  work: (place: VmPlace, task: TaskContext) => Promise<void>,
): void {
  const node = cluster.guest(vmid)?.node
  if (node === undefined) return
  cluster.tasks.start(node, type, String(vmid), ROOT, (task) => work({cluster, node, vmid}, task))
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
