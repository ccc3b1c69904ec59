// POST /nodes/{node}/lxc: checks a create or restore in Proxmox's order, takes the id under the lock `create`, and
// leaves the rest to a task.
import {flag, nodeOf, optionalText, text, vmidOf, type Call, type ParamValue} from '../../call.ts'
import {PveError, die, paramError} from '../../pve-error.ts'
import {hasPrivs, requirePrivs} from '../../access/permissions.ts'
import {addGuest, requirePool, requireVmidUnused} from '../../guest/registry.ts'
import {checkLock} from '../../guest/snapshots.ts'
import {validateSshKeys} from '../../guest/ssh-keys.ts'
import {requireQuorum} from '../../guest/status.ts'
import {checkVolumeAccess} from '../../guest/volume-access.ts'
import {hasContent, parseVolid, requireStorage} from '../../storage/volumes.ts'
import {applyPending} from '../config/apply-pending.ts'
import {requireOptionPrivileges} from '../config/option-privileges.ts'
import {stageChanges} from '../config/stage-changes.ts'
import {mountPointsOf} from './container-volumes.ts'
import {runCreate} from './create-task.ts'
import {checkProtection} from './destroy.ts'
import {forkTask, isContainerRunning} from './power.ts'
import type {CreatePlan} from './create-plan.ts'
import type {Guest, Section} from '../../state.ts'

const NOT_OPTIONS = new Set([
  ...['node', 'vmid', 'ostemplate', 'password', 'storage', 'force', 'restore', 'unique', 'pool', 'start'],
  ...['ignore-unpack-errors', 'ssh-public-keys', 'bwlimit', 'ha-managed', 'unprivileged'],
])
const DEFAULT_STORAGE = 'local'
const MAX_CPU_WEIGHT = 10_000
const NEW_FILE_LOCK_MS = 5_000

export async function createContainer(call: Call): Promise<string> {
  const {cluster} = call
  const vmid = vmidOf(call)
  requireQuorum(cluster)
  const unprivileged = checkPrivileged(call)
  const existing = checkId(call)
  checkExtras(call)
  checkAllocate(call, existing, unprivileged)
  const options = optionsOf(call)
  const pool = optionalText(call, 'pool')
  const change = {vmid, before: {}, isUnprivileged: unprivileged === true, ...(pool && {pool})}
  requireOptionPrivileges(call, change, options)
  const archive = checkArchive(call)
  const plan: CreatePlan = {
    archive,
    unprivileged,
    existed: existing !== undefined,
    ...planDisks(call, options),
  }
  plan.config = settleOptions(call, plan.config)
  await takeId(call)
  return forkTask(call, flag(call, 'restore') ? 'vzrestore' : 'vzcreate', (task) =>
    runCreate(call, plan, task),
  )
}

/** A new container is unprivileged unless told otherwise; a restored one is what it was (undefined). */
function checkPrivileged(call: Call): boolean | undefined {
  const given = optionalText(call, 'unprivileged')
  const unprivileged = given === undefined ? undefined : given === '1'
  if (flag(call, 'ha-managed')) requirePrivs(call, '/', ['Sys.Console'])
  if (flag(call, 'restore')) return unprivileged
  if (unprivileged === false) requirePrivs(call, '/', ['Sys.Modify'])
  return unprivileged ?? true
}

/** The container that a forced restore overwrites. */
function checkId(call: Call): Guest | undefined {
  const vmid = vmidOf(call)
  const guest = call.cluster.guest(vmid)
  const isHere = guest?.kind === 'lxc' && guest.node === nodeOf(call)
  if (!isHere || !flag(call, 'restore') || !flag(call, 'force')) {
    requireVmidUnused(call.cluster, vmid)
    return undefined
  }
  if (isContainerRunning(call)) die("can't overwrite running container")
  checkProtection(guest, `unable to restore CT ${String(vmid)}`)
  return guest
}

function checkExtras(call: Call): void {
  const keys = optionalText(call, 'ssh-public-keys')
  if (keys !== undefined) validateSshKeys(keys)
  const pool = optionalText(call, 'pool')
  if (pool !== undefined) requirePool(call.cluster, pool)
}

function checkAllocate(call: Call, existing: Guest | undefined, unprivileged: boolean | undefined): void {
  const path = `/vms/${String(vmidOf(call))}`
  const pool = optionalText(call, 'pool')
  if (hasPrivs(call, path, ['VM.Allocate'])) return
  if (pool && hasPrivs(call, `/pool/${pool}`, ['VM.Allocate'])) return
  if (!existing || !hasPrivs(call, path, ['VM.Backup'])) throw new PveError(403, 'Permission check failed\n')
  if (existing.config['unprivileged'] === '1' && unprivileged === false)
    requirePrivs(call, '/', ['Sys.Modify'])
}

function optionsOf(call: Call): Section {
  const options: Section = {}
  for (const [name, value] of Object.entries(call.params)) {
    if (!NOT_OPTIONS.has(name)) options[name] = textOf(value)
  }
  if (Number(options['cpuunits'] ?? 0) > MAX_CPU_WEIGHT) options['cpuunits'] = String(MAX_CPU_WEIGHT)
  return options
}

function textOf(value: ParamValue): string {
  return Array.isArray(value) ? value.join('\0') : (value ?? '')
}

function checkArchive(call: Call): string {
  const archive = text(call, 'ostemplate')
  if (archive === '-') die('pipe requires cli environment')
  checkVolumeAccess(call, vmidOf(call), archive, flag(call, 'restore') ? 'backup' : 'vztmpl')
  return archive
}

type DiskPlan = Pick<CreatePlan, 'config' | 'mountPoints' | 'storage'>

/** Splits volumes from other options, and asks for every storage that will be used. */
function planDisks(call: Call, options: Section): DiskPlan {
  const storage = optionalText(call, 'storage') ?? DEFAULT_STORAGE
  const plan: DiskPlan = {config: {}, mountPoints: {}, storage}
  for (const [option, value] of Object.entries(options)) {
    if (/^unused\d+$/.test(option)) continue
    if (!/^(?:rootfs|mp\d+)$/.test(option)) plan.config[option] = value
    else plan.mountPoints[option] = /^\d+(?:\.\d+)?$/.test(value) ? `${storage}:${value}` : value
  }
  const hasRootfs = plan.mountPoints['rootfs'] !== undefined
  if (!hasRootfs && Object.keys(plan.mountPoints).length > 0) {
    die("mount points configured, but 'rootfs' not set - aborting")
  }
  for (const {type, volume} of mountPointsOf(plan.mountPoints)) {
    if (type === 'volume') checkStorage(call, parseVolid(volume).storage)
  }
  if (!hasRootfs) checkStorage(call, storage)
  return plan
}

function checkStorage(call: Call, storage: string): void {
  const found = requireStorage(call.cluster, storage, nodeOf(call))
  if (!hasContent(found, 'rootdir')) {
    paramError({storage: `storage '${storage}' does not support container directories`})
  }
  requirePrivs(call, `/storage/${storage}`, ['Datastore.AllocateSpace'])
}

/** Each option as an update of a stopped container would store it. */
function settleOptions(call: Call, options: Section): Section {
  const draft: Guest = {
    ...{kind: 'lxc', vmid: vmidOf(call), node: nodeOf(call)},
    ...{config: {}, pending: {}, pendingDelete: {}, snapshots: {}},
    ...{runtime: {status: 'stopped'}, knobs: {}},
  }
  stageChanges(call.cluster, draft, draft, {set: options, delete: [], revert: []})
  applyPending(call.cluster, draft, draft)
  return draft.config
}

async function takeId(call: Call): Promise<void> {
  const {cluster} = call
  const vmid = vmidOf(call)
  const verb = flag(call, 'restore') ? 'restore' : 'create'
  try {
    await cluster.locks.withLock('lxc', vmid, () => takeFile(call), NEW_FILE_LOCK_MS)
  } catch (error) {
    if (error instanceof PveError) die(`unable to ${verb} CT ${String(vmid)} - ${error.asText()}`)
    throw error
  }
}

function takeFile(call: Call): void {
  const {cluster} = call
  const existing = flag(call, 'force') ? cluster.guest(vmidOf(call)) : undefined
  if (existing) checkLock(existing)
  const guest = existing ?? addGuest(cluster, 'lxc', vmidOf(call), nodeOf(call), {})
  guest.config['lock'] = 'create'
}
