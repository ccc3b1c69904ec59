// POST clone: the new id is taken and the source locked before the answer; a task copies or links the volumes.
import {flag, nodeOf, optionalText, text, type Call} from '../../call.ts'
import {die} from '../../pve-error.ts'
import {requirePrivs} from '../../access/permissions.ts'
import {checkBridgeAccess} from '../../guest/bridge-access.ts'
import {descriptionAsRead} from '../../guest/config-file.ts'
import {addGuest, joinPool, removeGuest, requirePool} from '../../guest/registry.ts'
import {checkLock, isTemplate, requireSnapshot} from '../../guest/snapshots.ts'
import {requireQuorum} from '../../guest/status.ts'
import {cloneVolume, freeVolume, parseVolid, requireStorage, volumeHasFeature} from '../../storage/volumes.ts'
import {parseNet, printNet} from '../config/network.ts'
import {exchangeVolume, mountPointsOf, type NamedVolume} from './container-volumes.ts'
import {requireNodeExists} from './migrate-checks.ts'
import {copyContainerVolume} from './move-volume.ts'
import {forkTask, isContainerRunning, withGuest} from './power.ts'
import type {Guest, Section} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

const COPY_VOLUME_MS = 300
const LINK_VOLUME_MS = 50
const CONTAINER_FORMATS = ['raw', 'subvol']
/** Not taken over: snapshots' own marks, what waits for deletion from the config, the template flag. */
const LEFT_BEHIND = /^(?:parent|lock|template|unused\d+|rootfs|mp\d+)$/

interface Plan {
  source: Guest
  section: Section
  full: boolean
  wasRunning: boolean
  volumes: NamedVolume[]
}

export async function clone(call: Call): Promise<string> {
  const {cluster} = call
  const target = checkRequest(call)
  requireQuorum(cluster)
  const source = await withGuest(call, (guest) => {
    checkLock(guest)
    guest.config['lock'] = 'disk'
    return guest
  })
  const newid = Number(text(call, 'newid'))
  const plan = undoOnError(source, () => {
    const created = addGuest(cluster, 'lxc', newid, nodeOf(call), {lock: 'create'})
    try {
      const planned = planClone(call, source, target)
      created.config = cloneConfig(call, planned)
      return planned
    } catch (error) {
      removeGuest(cluster, newid)
      throw error
    }
  })
  return forkTask(call, 'vzclone', (task) => runClone(call, plan, target, task))
}

/** Returns the other node that the clone is for. */
function checkRequest(call: Call): string | undefined {
  const {cluster} = call
  const pool = optionalText(call, 'pool')
  if (pool !== undefined) requirePool(cluster, pool)
  const wanted = optionalText(call, 'target')
  const target = wanted === nodeOf(call) || wanted === 'localhost' ? undefined : wanted
  if (target) requireNodeExists(cluster, target)
  const storage = optionalText(call, 'storage')
  if (!storage) return target
  requireStorage(cluster, storage, nodeOf(call))
  if (target && !requireStorage(cluster, storage, target).shared)
    die(`can't clone to non-shared storage '${storage}'`)
  return target
}

/** Whatever goes wrong before the task takes over gives the source its lock back. */
function undoOnError<T>(source: Guest, work: () => T): T {
  try {
    return work()
  } catch (error) {
    delete source.config['lock']
    throw error
  }
}

function planClone(call: Call, source: Guest, target: string | undefined): Plan {
  const storage = optionalText(call, 'storage')
  const full = optionalText(call, 'full') === undefined ? !isTemplate(source) : flag(call, 'full')
  if (storage !== undefined && !full) die("parameter 'storage' not allowed for linked clones")
  const snapname = optionalText(call, 'snapname')
  const section = snapname ? requireSnapshot(source, snapname).config : source.config
  const plan = {source, section, full, wasRunning: isContainerRunning(call), volumes: [] as NamedVolume[]}
  let isShared = true
  for (const {option, type, volume} of mountPointsOf(section)) {
    if (type !== 'volume') die(`unable to clone mountpoint '${option}' (type ${type})`)
    const used = storage ?? parseVolid(volume).storage
    if (!requireStorage(call.cluster, used).shared) isShared = false
    checkVolume(call, plan, volume, used)
    plan.volumes.push({option, volid: volume})
  }
  if (target && !isShared) die(`can't clone CT to node '${target}' (CT uses local storage)`)
  return plan
}

function checkVolume(call: Call, {full, wasRunning}: Plan, volid: string, storage: string): void {
  const snapname = optionalText(call, 'snapname')
  requirePrivs(call, `/storage/${storage}`, ['Datastore.AllocateSpace'])
  if (full) {
    if (wasRunning && snapname === undefined) {
      die('Full clone of a running container is only possible from a snapshot')
    }
    return
  }
  const options = {validTargetFormats: CONTAINER_FORMATS, ...(snapname !== undefined && {snapname})}
  if (!volumeHasFeature(call.cluster, 'clone', volid, options)) {
    die(`Linked clone feature for '${volid}' is not available`)
  }
}

/** The source's section with new MAC addresses, without volumes until these are copied. */
function cloneConfig(call: Call, {section, source}: Plan): Section {
  const config: Section = {}
  for (const [option, value] of Object.entries(section)) {
    if (LEFT_BEHIND.test(option)) continue
    config[option] = /^net\d+$/.test(option) ? newNet(call, value) : value
  }
  const snapname = optionalText(call, 'snapname')
  const inherited = snapname ? source.snapshots[snapname]?.description : undefined
  const description = descriptionAsRead('lxc', optionalText(call, 'description') ?? '') ?? inherited
  if (description !== undefined) config['description'] = description
  const hostname = optionalText(call, 'hostname')
  if (hostname) config['hostname'] = hostname
  return {...config, lock: 'create'}
}

function newNet(call: Call, text: string): string {
  const net = parseNet(call.cluster, text)
  net['hwaddr'] = call.cluster.randomMac()
  checkBridgeAccess(call, net)
  return printNet(net)
}

async function runClone(
  call: Call,
  plan: Plan,
  target: string | undefined,
  task: TaskContext,
): Promise<void> {
  const {cluster} = call
  const newid = Number(text(call, 'newid'))
  const made: string[] = []
  task.log(`creating a clone of container ${String(plan.source.vmid)} with ID ${String(newid)}`)
  try {
    if (isContainerRunning(call) !== plan.wasRunning) die('unexpected state change')
    await copyVolumes(call, plan, made, task)
    const pool = optionalText(call, 'pool')
    if (pool) joinPool(cluster, pool, newid)
  } catch (error) {
    for (const volid of made) freeVolume(cluster, volid, nodeOf(call))
    removeGuest(cluster, newid)
    die(`clone failed: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    delete plan.source.config['lock']
  }
  const created = cluster.requireGuest('lxc', nodeOf(call), newid)
  delete created.config['lock']
  if (target) created.node = target
}

async function copyVolumes(call: Call, plan: Plan, made: string[], task: TaskContext): Promise<void> {
  const {cluster} = call
  const newid = Number(text(call, 'newid'))
  for (const {option, volid} of plan.volumes) {
    const storage = optionalText(call, 'storage') ?? parseVolid(volid).storage
    const kind = plan.full ? 'full clone of mountpoint' : 'linked clone of mount point'
    task.log(`create ${kind} ${option} (${volid})`)
    const copy = plan.full
      ? copyContainerVolume(cluster, volid, plan.source, {storage, vmid: newid})
      : cloneVolume(cluster, volid, plan.source.node, newid)
    made.push(copy.volid)
    await task.sleep(plan.full ? COPY_VOLUME_MS : LINK_VOLUME_MS)
    const size = plan.full ? copy.size : undefined
    const created = cluster.requireGuest('lxc', nodeOf(call), newid)
    created.config[option] = exchangeVolume(plan.section, option, copy.volid, size)
  }
}
