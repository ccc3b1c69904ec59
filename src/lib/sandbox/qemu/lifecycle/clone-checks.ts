// What a clone needs before it starts, asked twice: when the call comes in and again inside its task.
import {requirePrivs, type Subject} from '../../access/permissions.ts'
import {checkBridgeAccess} from '../../guest/bridge-access.ts'
import {requirePool} from '../../guest/registry.ts'
import {checkLock, isTemplate, requireSnapshot} from '../../guest/snapshots.ts'
import {requireQuorum} from '../../guest/status.ts'
import {die, paramError} from '../../pve-error.ts'
import {hasContent, parseVolid, requireStorage, volumeHasFeature} from '../../storage/volumes.ts'
import {drivesOf, fileOf, isCdrom, isCloudinit, isDriveName, isPlainCdrom} from '../config/drive.ts'
import {isNetName, parseNet} from '../config/net.ts'
import {checkMappingAccess} from '../config/option-privileges.ts'
import {optionFormat} from '../config/option-schema.ts'
import {printPropertyString} from '../../schema/property-string.ts'
import {isUnusedName, type NamedDrive} from './drives.ts'
import {isRunning, isTruthy, requireNode, requireVm, type VmPlace} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'

export interface CloneRequest extends VmPlace {
  newid: number
  isRunning: boolean
  target?: string
  pool?: string
  snapname?: string
  storage?: string
  format?: string
  full?: string
}

export interface ClonePlan {
  /** Everything that is copied as it is, with new addresses. */
  config: Section
  drives: NamedDrive[]
  fullDrives: Set<string>
  sourceName: string | undefined
  /** How the source's cloud-init drive differs from its config; the copy of the drive differs as much. */
  cloudinit: Section | undefined
  hasPending: boolean
}

const SNAPSHOT_OPTIONS = new Set([
  'parent',
  'snaptime',
  'vmstate',
  'snapstate',
  'runningcpu',
  'runningmachine',
  'running-nets-host-mtu',
])

export function checkClone(subject: Subject, request: CloneRequest): ClonePlan {
  const {cluster, newid, node, pool, target} = request
  if (pool !== undefined) requirePool(cluster, pool)
  if (target !== undefined) requireNode(cluster, target)
  checkTargetStorage(request)
  requireQuorum(cluster)
  const guest = requireVm(request)
  checkLock(guest)
  if (isRunning(request) !== request.isRunning) die('unexpected state change')
  const source = sourceSection(guest, request.snapname)
  const isFull = request.full === undefined ? !isTemplate(guest) : isTruthy(request.full)
  if (request.storage !== undefined && !isFull) die("parameter 'storage' not allowed for linked clones")
  if (request.format !== undefined && !isFull) die("parameter 'format' not allowed for linked clones")
  const isShared = checkStorageAccess(subject, source, request.storage)
  checkMappingAccess(subject, source)
  for (const [option, value] of Object.entries(source)) {
    if (isNetName(option)) checkBridgeAccess(subject, parseNet(value))
  }
  if (target !== undefined && !isShared) die(`can't clone VM to node '${target}' (VM uses local storage)`)
  const taken = cluster.guest(newid)
  if (taken?.kind === 'qemu' && taken.node === node) {
    die(`unable to create VM ${String(newid)}: config file already exists`)
  }
  return planClone(request, guest, source, isFull)
}

function checkTargetStorage({cluster, node, storage: id, target}: CloneRequest): void {
  if (!isTruthy(id)) return
  const storage = requireStorage(cluster, id, node)
  if (!hasContent(storage, 'images')) paramError({storage: `storage '${id}' does not support vm images`})
  if (target === undefined) return
  requireStorage(cluster, id, target)
  if (!storage.shared) die(`can't clone to non-shared storage '${id}'`)
}

/** A snapshot's own description comes along with it. */
function sourceSection(guest: Guest, snapname: string | undefined): Section {
  if (!isTruthy(snapname)) return guest.config
  const {config, description} = requireSnapshot(guest, snapname)
  return {...config, ...(description !== undefined && {description})}
}

/** Whether all drives are on shared storage. */
function checkStorageAccess(subject: Subject, source: Section, storage: string | undefined): boolean {
  const {cluster} = subject
  let isShared = true
  for (const {drive} of drivesOf(source)) {
    const file = fileOf(drive)
    if (file === 'none') continue
    if (isCdrom(drive) && file === 'cdrom') {
      requirePrivs(subject, '/', ['Sys.Console'])
      continue
    }
    const id = parseVolid(file).storage
    if (!requireStorage(cluster, id).shared) isShared = false
    if (!isCdrom(drive)) requirePrivs(subject, `/storage/${storage || id}`, ['Datastore.AllocateSpace'])
  }
  const state = source['vmstatestorage']
  if (state !== undefined) requirePrivs(subject, `/storage/${state}`, ['Datastore.AllocateSpace'])
  return isShared
}

function planClone(request: CloneRequest, guest: Guest, source: Section, isFull: boolean): ClonePlan {
  const {cluster} = request
  const config: Section = {}
  const drives: NamedDrive[] = []
  const fullDrives = new Set<string>()
  for (const option of Object.keys(source).sort()) {
    const value = source[option] ?? ''
    if (SNAPSHOT_OPTIONS.has(option) || isUnusedName(option)) continue
    if (option === 'tpmstate0' && isFull && request.isRunning && !request.snapname) {
      die('cannot clone TPM state while VM is running')
    }
    if (isNetName(option)) config[option] = withNewAddress(cluster, value)
    else if (!isDriveName(option)) config[option] = value
  }
  for (const named of drivesOf(source).sort((a, b) => (a.option < b.option ? -1 : 1))) {
    if (isPlainCdrom(named.drive)) config[named.option] = source[named.option] ?? ''
    else {
      drives.push(named)
      if (checkFeature(request, named, isFull)) fullDrives.add(named.option)
    }
  }
  const hasPending = Object.keys(guest.pending).length > 0
  const cloudinit = isTruthy(request.snapname) ? undefined : guest.cloudinit
  return {config, drives, fullDrives, sourceName: source['name'], cloudinit, hasPending}
}

function withNewAddress(cluster: Cluster, text: string): string {
  return printPropertyString({...parseNet(text), macaddr: cluster.randomMac()}, optionFormat('net0'))
}

/** Returns whether the drive is copied in full; dies where its storage can do neither. */
function checkFeature(
  {cluster, snapname}: CloneRequest,
  {option, drive}: NamedDrive,
  isFull: boolean,
): boolean {
  const copies = isFull || isCloudinit(drive) || option === 'tpmstate0'
  const volid = fileOf(drive)
  const snapshot = isTruthy(snapname) ? {snapname} : {}
  if (!volumeHasFeature(cluster, copies ? 'copy' : 'clone', volid, snapshot)) {
    const what = isTruthy(snapname) ? 'a snapshot of ' : ''
    die(`${copies ? 'Full' : 'Linked'} clone feature is not supported for ${what}'${volid}' (${option})`)
  }
  return copies
}
