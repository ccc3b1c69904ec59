// POST /nodes/{node}/qemu: a new machine, or one from a backup. The id is taken at once, the rest is a task.
import {addGuest, joinPool, removeGuest, requireVmidUnused} from '../../guest/registry.ts'
import {checkLock} from '../../guest/snapshots.ts'
import {haResource, serviceId} from '../../guest/status.ts'
import {requestHaState} from '../../ha/request-state.ts'
import {die, PveError} from '../../pve-error.ts'
import {printBootOrder} from '../config/boot-order.ts'
import {storeConf} from '../config/conf.ts'
import {createDisks} from '../config/create-disks.ts'
import {checkMachine, checkVga} from '../config/option-rules.ts'
import {pinMachine} from '../config/os-type.ts'
import {freeQuietly} from '../config/unused-volumes.ts'
import {readCreate, type CreateRequest} from './create-request.ts'
import {defaultBootDevices} from './drives.ts'
import {RUNNING_QEMU} from './machine.ts'
import {restoreVm} from './restore.ts'
import {startAfterwards} from './power.ts'
import {isTruthy, reasonOf, startTask} from './vm.ts'
import type {Call} from '../../call.ts'
import type {Guest, Section} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'
import type {Work} from '../config/work.ts'

const CONFIG_LOCK_MS = 5000
const TASK_LOCK_MS = 1000
const ALLOCATE_MS = 150

export async function create(call: Call): Promise<string> {
  const request = readCreate(call)
  const {cluster} = call
  const {vmid} = request
  const isRestore = request.archive !== undefined
  const complaint = `unable to ${isRestore ? 'restore' : 'create'} VM ${String(vmid)} -`
  await prefixed(complaint, () =>
    cluster.locks.withLock('qemu', vmid, () => claimVmid(call, request), CONFIG_LOCK_MS),
  )
  const locked = (work: () => Promise<void>): Promise<void> =>
    cluster.locks.withLock('qemu', vmid, work, TASK_LOCK_MS)
  return isRestore
    ? startTask(call, 'qmrestore', async (task) => {
        await restoreVm(call, request, task, complaint, locked)
        afterwards(call, request, task)
      })
    : startTask(call, 'qmcreate', async (task) => {
        await createVm(call, request, task, complaint, locked)
        afterwards(call, request, task)
      })
}

/** From here on the id is taken and its config file says why. */
function claimVmid({cluster}: Call, {vmid, node, force}: CreateRequest): void {
  const existing = cluster.guest(vmid)
  if (!existing || !force || existing.kind !== 'qemu' || existing.node !== node) {
    requireVmidUnused(cluster, vmid)
    addGuest(cluster, 'qemu', vmid, node, {lock: 'create'})
    return
  }
  checkLock(existing)
  existing.config['lock'] = 'create'
}

async function prefixed<T>(complaint: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PveError) die(`${complaint} ${reasonOf(error)}`)
    throw error
  }
}

async function createVm(
  call: Call,
  request: CreateRequest,
  task: TaskContext,
  complaint: string,
  locked: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const {cluster, principal} = call
  const {vmid, node, pool} = request
  const work: Work = {
    cluster,
    node,
    vmid,
    subject: {cluster, principal},
    log: (line) => {
      task.log(line)
    },
  }
  try {
    await locked(async () => {
      const guest = cluster.requireGuest('qemu', node, vmid)
      await prefixed(complaint, () => writeNewConfig(work, guest, request, task))
      if (pool !== undefined) joinPool(cluster, pool, vmid)
    })
  } catch (error) {
    removeGuest(cluster, vmid)
    throw error
  }
}

async function writeNewConfig(
  work: Work,
  guest: Guest,
  request: CreateRequest,
  task: TaskContext,
): Promise<void> {
  const {settings, storage} = request
  const made: string[] = []
  try {
    const drives = createDisks(work, {
      settings,
      config: settings,
      made,
      ...(storage !== undefined && {defaultStorage: storage}),
    })
    if (made.length > 0) await task.sleep(ALLOCATE_MS)
    storeConf(guest, {config: completeConfig(work, {...settings, ...drives}), pending: {}, pendingDelete: {}})
  } catch (error) {
    for (const volid of made) freeQuietly(work, volid)
    throw error
  }
}

/** What every new machine gets that was not asked for. */
function completeConfig({cluster}: Work, asked: Section): Section {
  const config: Section = {
    ...asked,
    meta: `creation-qemu=${RUNNING_QEMU},ctime=${String(cluster.nowSeconds())}`,
  }
  if (!isTruthy(config['boot'])) config['boot'] = printBootOrder(defaultBootDevices(config))
  if (isTruthy(config['vga'])) checkVga(config['vga'])
  if (!isTruthy(config['smbios1'])) config['smbios1'] = `uuid=${cluster.randomUuid()}`
  const {vmgenid} = config
  if ((vmgenid === undefined || vmgenid === '1') && config['arch'] !== 'aarch64') {
    config['vmgenid'] = cluster.randomUuid()
  }
  const machine = pinMachine(config['machine'], config['ostype'] ?? '')
  if (machine !== '') config['machine'] = machine
  checkMachine(machine)
  return config
}

/** The machine is there; that it does not start, or is not taken under HA, does not undo that. */
function afterwards(call: Call, request: CreateRequest, task: TaskContext): void {
  const isRestored = request.archive !== undefined
  const starts = request.start && !request.liveRestore
  if (starts && isRestored) autostart(call, task)
  if (request.haManaged) manage(call, request, task)
  if (starts && !isRestored) autostart(call, task)
}

function manage(
  {cluster}: Call,
  {vmid, archive, start, liveRestore}: CreateRequest,
  task: TaskContext,
): void {
  const sid = serviceId('qemu', vmid)
  const known = haResource(cluster, 'qemu', vmid)
  const state = start || liveRestore ? 'started' : 'stopped'
  const restored = `${known ? 'Set' : 'Add'} HA resource with request-state '${state}'`
  task.log(archive === undefined ? 'Add as HA resource' : restored)
  if (!known) cluster.state.ha.push({sid, state})
  requestHaState(cluster, 'qemu', vmid, state)
}

function autostart(call: Call, task: TaskContext): void {
  task.log('Execute autostart')
  try {
    startAfterwards(call)
  } catch (error) {
    if (!(error instanceof PveError)) throw error
    task.log(error.message.trimEnd())
  }
}
