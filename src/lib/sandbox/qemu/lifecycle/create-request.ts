// POST /nodes/{node}/qemu, as far as it is read and checked before the machine has a config file.
import {hasPrivs, requirePrivs, type Subject} from '../../access/permissions.ts'
import {checkBridgeAccess} from '../../guest/bridge-access.ts'
import {requirePool} from '../../guest/registry.ts'
import {validateSshKeys} from '../../guest/ssh-keys.ts'
import {requireQuorum} from '../../guest/status.ts'
import {checkVolumeAccess} from '../../guest/volume-access.ts'
import {die, paramError, PveError} from '../../pve-error.ts'
import {requireVolume} from '../../storage/volumes.ts'
import {isDriveName} from '../config/drive.ts'
import {checkDriveAccess, normaliseDrives} from '../config/drive-params.ts'
import {completeNet, isNetName, parseNet} from '../config/net.ts'
import {checkDevice, checkOptionPrivileges, isHostDevice} from '../config/option-privileges.ts'
import {clampCpuUnits, resolveCdromAlias, textParams, unescapeUri} from '../config/update-request.ts'
import {isTruthy} from './vm.ts'
import type {Call} from '../../call.ts'
import type {Cluster} from '../../cluster.ts'
import type {Section} from '../../state.ts'

export interface CreateRequest {
  node: string
  vmid: number
  /** The options of the config, drives still as asked for. */
  settings: Section
  archive?: string
  storage?: string
  pool?: string
  force: boolean
  unique: boolean
  start: boolean
  haManaged: boolean
  liveRestore: boolean
}

const OWN_PARAMS = new Set([
  'node',
  'vmid',
  'archive',
  'bwlimit',
  'force',
  'pool',
  'start',
  'ha-managed',
  'storage',
  'unique',
  'live-restore',
  'import-working-storage',
])

export function readCreate(call: Call): CreateRequest {
  const given = textParams(call.params)
  const own = Object.entries(given).filter(([key]) => !OWN_PARAMS.has(key))
  const request: CreateRequest = {
    node: given['node'] ?? '',
    vmid: Number(given['vmid']),
    settings: Object.fromEntries(own),
    force: given['force'] === '1',
    unique: given['unique'] === '1',
    start: given['start'] === '1',
    haManaged: given['ha-managed'] === '1',
    liveRestore: given['live-restore'] === '1',
  }
  for (const key of ['archive', 'storage', 'pool'] as const) {
    const value = given[key]
    if (value !== undefined && (key !== 'archive' || isTruthy(value))) request[key] = value
  }
  const {sshkeys} = request.settings
  if (sshkeys !== undefined) validateSshKeys(unescapeUri(sshkeys))
  clampCpuUnits(request.settings)
  checkRights(call, request)
  if (Object.keys(request.settings).length > 0) asPoolMember(call, request, checkSettings)
  return request
}

function checkRights(call: Call, request: CreateRequest): void {
  const {cluster} = call
  const {pool, storage, archive, vmid} = request
  requireQuorum(cluster)
  if (pool !== undefined) requirePool(cluster, pool)
  if (storage !== undefined) requirePrivs(call, `/storage/${storage}`, ['Datastore.AllocateSpace'])
  if (request.haManaged) requirePrivs(call, '/', ['Sys.Console'])
  if (request.start) requirePrivs(call, `/vms/${String(vmid)}`, ['VM.PowerMgmt'])
  if (!mayCreate(call, request)) throw new PveError(403, 'Permission check failed\n')
  if (archive === undefined) return
  const drive = Object.keys(request.settings).sort().find(isDriveName)
  if (drive !== undefined) paramError({[drive]: "option conflicts with option 'archive'"})
  if (archive === '-') die('pipe requires cli environment')
  checkVolumeAccess(call, vmid, archive, 'backup')
  requireVolume(cluster, archive, request.node)
}

/** On the id, on the pool, or on an own machine that is only brought back. */
function mayCreate(call: Call, {vmid, node, pool, archive, force}: CreateRequest): boolean {
  const path = `/vms/${String(vmid)}`
  if (hasPrivs(call, path, ['VM.Allocate'])) return true
  if (isTruthy(pool) && hasPrivs(call, `/pool/${pool}`, ['VM.Allocate'])) return true
  const guest = call.cluster.guest(vmid)
  const exists = guest?.kind === 'qemu' && guest.node === node
  return archive !== undefined && force && exists && hasPrivs(call, path, ['VM.Backup'])
}

/** A machine that is made in a pool is judged by that pool's privileges, before it belongs to it. */
function asPoolMember(
  call: Call,
  request: CreateRequest,
  check: (s: Subject, r: CreateRequest) => void,
): void {
  const {cluster, principal} = call
  const pool = cluster.state.pools.find((known) => known.poolid === request.pool)
  if (!pool || pool.vmids.includes(request.vmid)) {
    check(call, request)
    return
  }
  pool.vmids.push(request.vmid)
  try {
    check({cluster, principal}, request)
  } finally {
    pool.vmids.pop()
  }
}

function checkSettings(subject: Subject, request: CreateRequest): void {
  const {vmid, settings, storage} = request
  resolveCdromAlias(settings)
  checkDriveAccess(subject, settings, {vmid, ...(storage !== undefined && {defaultStorage: storage})})
  const options = Object.keys(settings).sort()
  checkOptionPrivileges(subject, vmid, options)
  for (const option of options.filter(isHostDevice)) {
    checkDevice(subject, vmid, option, [settings[option] ?? ''], 'set')
  }
  for (const option of options.filter(isNetName)) checkBridgeAccess(subject, parseNet(settings[option] ?? ''))
  request.settings = completeSettings(subject.cluster, settings)
}

function completeSettings(cluster: Cluster, settings: Section): Section {
  const complete = normaliseDrives(cluster, settings)
  for (const option of Object.keys(complete)) {
    if (isNetName(option)) complete[option] = completeNet(cluster, complete[option] ?? '')
  }
  return complete
}
