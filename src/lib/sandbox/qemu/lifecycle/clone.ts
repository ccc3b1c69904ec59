// POST clone: a new machine from another one, from a template or from a snapshot.
import {optionalText, text, type Call} from '../../call.ts'
import {addGuest, joinPool, removeGuest} from '../../guest/registry.ts'
import {die} from '../../pve-error.ts'
import {freeVolume} from '../../storage/volumes.ts'
import {storeConf} from '../config/conf.ts'
import {printDrive} from '../config/drive.ts'
import {optionFormat} from '../config/option-schema.ts'
import {parsePropertyString, printPropertyString} from '../../schema/property-string.ts'
import {checkClone, type ClonePlan, type CloneRequest} from './clone-checks.ts'
import {cloneDisk, type CloneDiskWork} from './clone-disk.ts'
import {isRunning, isTruthy, placeOf, reasonOf, startTask} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

const LOCK_MS = 1000

export function clone(call: Call): string {
  const place = placeOf(call)
  const request = readRequest(call, isRunning(place))
  checkClone(call, request)
  return startTask(call, 'qmclone', (task) => {
    const {locks} = call.cluster
    const withTarget = (): Promise<void> =>
      locks.withLock('qemu', request.newid, () => cloneVm(call, request, task), LOCK_MS)
    return request.isRunning
      ? locks.withLock('qemu', place.vmid, withTarget, LOCK_MS)
      : locks.withSharedLock('qemu', place.vmid, withTarget, LOCK_MS)
  })
}

function readRequest(call: Call, running: boolean): CloneRequest {
  const place = placeOf(call)
  const target = optionalText(call, 'target')
  const request: CloneRequest = {...place, newid: Number(text(call, 'newid')), isRunning: running}
  if (isTruthy(target) && target !== place.node && target !== 'localhost') request.target = target
  for (const key of ['pool', 'snapname', 'storage', 'format', 'full'] as const) {
    const value = optionalText(call, key)
    if (value !== undefined) request[key] = value
  }
  return request
}

async function cloneVm(call: Call, request: CloneRequest, task: TaskContext): Promise<void> {
  const {cluster, node, vmid, newid} = request
  const plan = checkClone(call, request)
  task.log(`creating a clone of VM ${String(vmid)} with ID ${String(newid)}`)
  const identity = newIdentity(call, plan, vmid)
  const guest = addClone(cluster, node, newid)
  const work: CloneDiskWork = {cluster, node, task, made: []}
  try {
    await copyDisks(work, guest, plan, request, identity)
  } catch (error) {
    for (const volid of work.made) freeVolume(cluster, volid, node)
    removeGuest(cluster, newid)
    die(`clone failed: ${reasonOf(error)}`)
  }
  if (request.target !== undefined) guest.node = request.target
  if (request.pool !== undefined) joinPool(cluster, request.pool, newid)
}

/** A vmid that is taken on another node, or by a container, is found only when the file is written. */
function addClone(cluster: Cluster, node: string, newid: number): Guest {
  if (cluster.guest(newid)) {
    const file = `/etc/pve/nodes/${node}/qemu-server/${String(newid)}.conf`
    die(`close (rename) atomic file '${file}' failed: File exists`)
  }
  return addGuest(cluster, 'qemu', newid, node, {lock: 'clone'})
}

/** The config of the clone, apart from its disks. */
function newIdentity(call: Call, plan: ClonePlan, vmid: number): Section {
  const {cluster} = call
  const config: Section = {...plan.config}
  const smbios = parsePropertyString(optionFormat('smbios1'), config['smbios1'] ?? '')
  smbios['uuid'] = cluster.randomUuid()
  config['smbios1'] = printPropertyString(smbios, optionFormat('smbios1'))
  if (isTruthy(config['vmgenid'])) config['vmgenid'] = cluster.randomUuid()
  delete config['template']
  const [name, description] = [optionalText(call, 'name'), optionalText(call, 'description')]
  config['name'] = isTruthy(name) ? name : `Copy-of-VM-${plan.sourceName ?? String(vmid)}`
  if (isTruthy(description)) config['description'] = description
  return config
}

async function copyDisks(
  work: CloneDiskWork,
  guest: Guest,
  plan: ClonePlan,
  request: CloneRequest,
  config: Section,
): Promise<void> {
  const {newid, storage, format} = request
  const target = {vmid: newid, ...(storage !== undefined && {storage}), ...(format !== undefined && {format})}
  const store = (extra: Section): void => {
    const {cloudinit} = plan
    const conf = {config: {...config, ...extra}, pending: {}, pendingDelete: {}}
    storeConf(guest, cloudinit ? {...conf, cloudinit} : conf)
  }
  for (const named of plan.drives) {
    const drive = await cloneDisk(work, named, target, plan.fullDrives.has(named.option))
    config[named.option] = printDrive(named.option, drive)
    store({lock: 'clone'})
  }
  if (plan.hasPending) work.task.log(`found pending changes, discarding for clone`)
  store({})
}
