// The task behind create and restore: volumes, the archive's content, the config; or everything undone.
import {flag, nodeOf, optionalText, vmidOf, type Call} from '../../call.ts'
import {PveError, die} from '../../pve-error.ts'
import {descriptionAsRead} from '../../guest/config-file.ts'
import {joinPool, removeGuest} from '../../guest/registry.ts'
import {isRunning, serviceId} from '../../guest/status.ts'
import {allocateVolume, findVolume, freeVolume, requireVolume, volumePath} from '../../storage/volumes.ts'
import {newDisk, printMountPoint} from '../config/mount-points.ts'
import {mountPointsOf, volumesIn} from './container-volumes.ts'
import {freeContainerVolumes} from './destroy.ts'
import {detectArch, detectOsType} from './os-template.ts'
import {startAfterwards} from './power.ts'
import {mergeBackup, recoverBackup, restoredMountPoints, type Backup} from './restore.ts'
import {makeTemplate} from './template.ts'
import {requestHaState} from '../../ha/request-state.ts'
import type {CreatePlan} from './create-plan.ts'
import type {Guest, Section} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

const UNPACK_MS = 600
const DEFAULT_ROOTFS_GIB = '4'

export async function runCreate(call: Call, plan: CreatePlan, task: TaskContext): Promise<void> {
  const {cluster} = call
  const vmid = vmidOf(call)
  await cluster.locks.withLock('lxc', vmid, () => createUnderLock(call, plan, task))
  if (flag(call, 'start')) startAfterwards(call)
  if (!flag(call, 'ha-managed')) return
  task.log('Add as HA resource')
  const state = flag(call, 'start') ? 'started' : 'stopped'
  cluster.state.ha.push({sid: serviceId('lxc', vmid), state})
  requestHaState(cluster, 'lxc', vmid, state)
}

async function createUnderLock(call: Call, plan: CreatePlan, task: TaskContext): Promise<void> {
  const {cluster} = call
  const guest = cluster.requireGuest('lxc', nodeOf(call), vmidOf(call))
  const made: string[] = []
  let touched = !plan.existed
  try {
    const backup = flag(call, 'restore') ? recover(call, plan, guest, task) : undefined
    const wanted = wantedMountPoints(call, plan, backup)
    touched = true
    const mountPoints = createVolumes(call, guest, wanted, made, task)
    if (plan.existed) freeContainerVolumes(cluster, guest, task)
    guest.config = {lock: 'create'}
    for (const {volid} of volumesIn(mountPoints)) requireVolume(cluster, volid, guest.node)
    await unpack(call, plan, task)
    const config = {...finalConfig(call, plan, backup, task), ...mountPoints}
    Object.assign(guest, {config, pending: {}, pendingDelete: {}, snapshots: {}})
    if (backup?.config['template'] === '1') makeTemplate(cluster, guest)
  } catch (error) {
    for (const volid of made) freeVolume(cluster, volid, guest.node)
    if (touched) removeGuest(cluster, guest.vmid)
    else delete guest.config['lock']
    throw prefixed(call, error)
  }
  const pool = optionalText(call, 'pool')
  if (pool) joinPool(cluster, pool, guest.vmid)
}

function prefixed(call: Call, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const verb = flag(call, 'restore') ? 'restore' : 'create'
  const why = error instanceof PveError ? error.asText() : error.message
  return new PveError(500, `unable to ${verb} CT ${String(vmidOf(call))} - ${why}`)
}

function recover(call: Call, plan: CreatePlan, guest: Guest, task: TaskContext): Backup {
  if (isRunning(guest)) die("can't overwrite running container")
  task.log(`recovering backed-up configuration from '${plan.archive}'`)
  return recoverBackup(call, plan, guest)
}

function wantedMountPoints(call: Call, plan: CreatePlan, backup: Backup | undefined): Section {
  if (plan.mountPoints['rootfs'] !== undefined) return plan.mountPoints
  if (backup) return restoredMountPoints(call, backup, plan.storage)
  return {rootfs: `${plan.storage}:${DEFAULT_ROOTFS_GIB}`}
}

/** Allocates what asks for a new disk; returns the options as they are stored. */
function createVolumes(
  call: Call,
  guest: Guest,
  wanted: Section,
  made: string[],
  task: TaskContext,
): Section {
  const {cluster} = call
  const stored: Section = {}
  for (const {option, volume, values} of mountPointsOf(wanted)) {
    const disk = newDisk(volume)
    if (disk) {
      const volid = allocateVolume(cluster, {
        ...disk,
        node: guest.node,
        vmid: guest.vmid,
        content: 'rootdir',
      }).volid
      made.push(volid)
      task.log(`Formatting '${volumePath(cluster, volid)}', size=${String(disk.sizeBytes)}`)
      values['volume'] = volid
      values['size'] = String(disk.sizeBytes)
    }
    stored[option] = printMountPoint(option, values)
  }
  return stored
}

async function unpack(call: Call, plan: CreatePlan, task: TaskContext): Promise<void> {
  const {cluster} = call
  if (!findVolume(cluster, plan.archive, nodeOf(call))) die(`volume '${plan.archive}' does not exist`)
  task.log(`extracting archive '${volumePath(cluster, plan.archive)}'`)
  await task.sleep(UNPACK_MS)
  requireVolume(cluster, plan.archive, nodeOf(call))
}

/** What was given, what the backup or the template brings, then the defaults. */
function finalConfig(call: Call, plan: CreatePlan, backup: Backup | undefined, task: TaskContext): Section {
  const config: Section = {...plan.config}
  const unprivileged = plan.unprivileged ?? backup?.config['unprivileged'] === '1'
  if (unprivileged) config['unprivileged'] = '1'
  if (backup) {
    task.log('merging backed-up and given configuration..')
    mergeBackup(call, config, backup, task)
  } else if (config['ostype'] !== 'unmanaged') {
    config['ostype'] = detectOsType(plan.archive)
  }
  config['arch'] ??= detectArch(plan.archive)
  config['hostname'] ||= `CT${String(vmidOf(call))}`
  if (!Number(config['memory'] ?? 0)) config['memory'] = '512'
  config['swap'] ??= '512'
  const description = descriptionAsRead('lxc', config['description'] ?? '')
  if (description === undefined) delete config['description']
  else config['description'] = description
  return config
}
