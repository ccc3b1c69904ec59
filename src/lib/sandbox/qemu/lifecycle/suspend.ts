// Pause, suspend to disk and resume.
import {requirePrivs} from '../../access/permissions.ts'
import {flag, optionalText, type Call} from '../../call.ts'
import {checkLock, isTemplate} from '../../guest/snapshots.ts'
import {die} from '../../pve-error.ts'
import {allocateVolume, findStorage, tryParseVolid} from '../../storage/volumes.ts'
import {isHaManaged} from '../../guest/status.ts'
import {disksOf, volidOf} from './drives.ts'
import {RUNNING_CPU, runningMachine} from './machine.ts'
import {startVm} from './start.ts'
import {powerOff} from './stop.ts'
import {
  isRunning,
  memoryMiB,
  placeOf,
  refuseUnlessRoot,
  requireVm,
  startTask,
  withVm,
  type VmPlace,
} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

const MIB = 1024 * 1024
/** Room for the devices' state beside twice the memory. */
const DRIVER_STATE_MIB = 500
const SAVE_MS = 1000

export function suspend(call: Call): string {
  refuseUnlessRoot(call, 'skiplock')
  const place = placeOf(call)
  if (!isRunning(place)) die(`VM ${String(place.vmid)} not running`)
  if (!flag(call, 'todisk')) return startTask(call, 'qmpause', () => pause(place))
  const storage = stateStorage(call, place)
  return startTask(call, 'qmsuspend', (task) => suspendToDisk(place, task, storage))
}

function stateStorage(call: Call, place: VmPlace): string {
  if (isHaManaged(call.cluster, 'qemu', place.vmid)) die('Cannot suspend HA managed VM to disk')
  requirePrivs(call, `/vms/${String(place.vmid)}`, ['VM.Config.Disk'])
  const guest = requireVm(place)
  if (Object.keys(guest.config).some((option) => /^hostpci\d+/.test(option))) {
    die(
      'cannot suspend VM to disk due to passed-through PCI device(s), which lack the' +
        ' possibility to save/restore their internal state',
    )
  }
  const storage = optionalText(call, 'statestorage') ?? vmstateStorage(call.cluster, guest.config)
  requirePrivs(call, `/storage/${storage}`, ['Datastore.AllocateSpace'])
  return storage
}

/** Where a machine's memory is kept: as configured, else beside its disks, shared storage first. */
export function vmstateStorage(cluster: Cluster, config: Section): string {
  if (config['vmstatestorage']) return config['vmstatestorage']
  const used = new Set(disksOf(config).map((disk) => tryParseVolid(volidOf(disk))?.storage ?? ''))
  const found: {shared?: string; local?: string} = {}
  for (const id of [...used].sort()) {
    const storage = findStorage(cluster, id)
    if (!storage) continue
    const place = storage.shared ? 'shared' : 'local'
    if (found[place] === undefined || storage.config['path'] !== undefined) found[place] = id
  }
  return found.shared ?? found.local ?? 'local'
}

/** Allocates the volume for a running machine's memory and notes in `target` what is needed to resume it. */
export function allocateVmstate(
  cluster: Cluster,
  guest: Guest,
  name: string,
  storage: string,
  target: Section,
): void {
  const volume = allocateVolume(cluster, {
    storage,
    node: guest.node,
    vmid: guest.vmid,
    sizeBytes: (memoryMiB(guest.config) * 2 + DRIVER_STATE_MIB) * MIB,
    content: 'images',
    format: 'raw',
    tail: `state-${name}`,
  })
  target['vmstate'] = volume.volid
  target['runningmachine'] = guest.runtime.machine ?? runningMachine(guest.config)
  target['runningcpu'] = RUNNING_CPU
}

function pause(place: VmPlace): Promise<void> {
  return withVm(place, (guest) => {
    if (guest.config['lock'] !== 'backup') checkLock(guest)
    guest.runtime.paused = true
  })
}

async function suspendToDisk(place: VmPlace, task: TaskContext, storage: string): Promise<void> {
  const {cluster} = place
  await withVm(place, (guest) => {
    if (guest.config['lock'] === 'backup') die('cannot suspend to disk during backup')
    checkLock(guest)
    const date = new Date(cluster.clock.now()).toISOString().slice(0, 10)
    allocateVmstate(cluster, guest, `suspend-${date}`, storage, guest.config)
    guest.config['lock'] = 'suspending'
  })
  await task.sleep(SAVE_MS)
  task.log('State saved, quitting')
  await withVm(place, (guest) => {
    if (guest.config['lock'] !== 'suspending') die('lock changed unexpectedly')
    powerOff(guest)
    guest.config['lock'] = 'suspended'
  })
}

export async function resume(call: Call): Promise<string> {
  refuseUnlessRoot(call, 'skiplock', 'nocheck')
  const place = placeOf(call)
  const isSuspended = await hasSuspendedLock(place)
  if (!isSuspended && !isRunning(place)) die(`VM ${String(place.vmid)} not running`)
  return startTask(call, 'qmresume', (task) => (isSuspended ? startVm(place, task) : unpause(place)))
}

/** A missing machine is told apart later. */
function hasSuspendedLock({cluster, vmid}: VmPlace): Promise<boolean> {
  return cluster.locks
    .withLock('qemu', vmid, () => cluster.guest(vmid)?.config['lock'] === 'suspended')
    .catch(() => false)
}

function unpause(place: VmPlace): Promise<void> {
  return withVm(place, (guest) => {
    if (isTemplate(guest)) die(`VM ${String(guest.vmid)} is a template and cannot be resumed!`)
    if (guest.runtime.paused !== true) return
    if (guest.config['lock'] !== 'backup') checkLock(guest)
    delete guest.runtime.paused
  })
}
