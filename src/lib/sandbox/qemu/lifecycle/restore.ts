// A machine from a backup archive: new volumes, the archived config, and what the caller wants different.
import {checkBridgeAccess} from '../../guest/bridge-access.ts'
import {joinPool} from '../../guest/registry.ts'
import {addUnusedVolume} from '../../guest/snapshots.ts'
import {requirePrivs} from '../../access/permissions.ts'
import {die} from '../../pve-error.ts'
import {parsePropertyString, printPropertyString} from '../../schema/property-string.ts'
import {
  allocateVolume,
  freeVolume,
  requireStorage,
  requireVolume,
  tryParseVolid,
} from '../../storage/volumes.ts'
import {storeConf} from '../config/conf.ts'
import {fileOf, isDriveName, isPlainCdrom, parseDrive, printDrive} from '../config/drive.ts'
import {isNetName, parseNet} from '../config/net.ts'
import {checkMappingAccess} from '../config/option-privileges.ts'
import {optionFormat} from '../config/option-schema.ts'
import {disksOf, isUnusedName, volidOf} from './drives.ts'
import {convertDisks} from './template.ts'
import {isSet, isTruthy, isUp} from './vm.ts'
import {formatOn, ownerOf} from './volume-rules.ts'
import type {Call} from '../../call.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section, Volume} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'
import type {CreateRequest} from './create-request.ts'

type Archive = NonNullable<Volume['backup']>

const GIB = 1024 ** 3
const MS_PER_GIB = 300
const LEFT_OUT = new Set(['lock', 'parent'])

/** The body of a restore task. Should it fail, what is there stays there, as Proxmox warns. */
export async function restoreVm(
  call: Call,
  request: CreateRequest,
  task: TaskContext,
  complaint: string,
  locked: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const {cluster} = call
  const guest = cluster.requireGuest('qemu', request.node, request.vmid)
  try {
    if (isSet(guest.config, 'protection')) die(`${complaint} - protection mode enabled`)
    if (isUp(guest)) die(`${complaint} vm is running`)
    if (request.liveRestore) {
      die('live-restore is only compatible with backup images from a Proxmox Backup Server')
    }
    await locked(() => restoreLocked(call, request, guest, task))
  } catch (error) {
    delete guest.config['lock']
    task.log(
      'error before or during data restore, some or all disks were not completely restored.' +
        ` VM ${String(request.vmid)} state is NOT cleaned up.`,
    )
    throw error
  }
}

async function restoreLocked(
  call: Call,
  request: CreateRequest,
  guest: Guest,
  task: TaskContext,
): Promise<void> {
  const {cluster} = call
  const archive = readArchive(cluster, request)
  const merged = {...archive.config, ...request.settings}
  for (const option of Object.keys(merged).filter(isNetName)) {
    checkBridgeAccess(call, parseNet(merged[option] ?? ''))
  }
  checkMappingAccess(call, merged)
  const kept = keptVolumes(cluster, guest, archive)
  dropOldVolumes(cluster, guest, archive)
  const volumes = await restoreVolumes(call, request, archive, task)
  const config: Section = {...restoredConfig(cluster, archive, volumes, request.unique), ...request.settings}
  for (const volid of kept) addUnusedVolume(config, volid)
  guest.snapshots = {}
  storeConf(guest, {config, pending: {}, pendingDelete: {}})
  if (request.pool !== undefined) joinPool(cluster, request.pool, request.vmid)
  if (guest.config['template'] === '1') convertDisks(cluster, guest)
}

function readArchive(cluster: Cluster, {archive, node}: CreateRequest): Archive {
  const {backup} = requireVolume(cluster, archive ?? '', node)
  if (backup?.kind !== 'qemu') die('unable to detect archive format')
  return backup
}

/** Where each volume goes: the storage of the call, else the one it came from, else `local`. */
async function restoreVolumes(
  call: Call,
  {node, vmid, storage}: CreateRequest,
  archive: Archive,
  task: TaskContext,
): Promise<Map<string, Volume>> {
  const restored = new Map<string, Volume>()
  for (const {option, size} of archive.volumes) {
    const drive = parseDrive(option, archive.config[option] ?? '')
    const origin = tryParseVolid(drive ? fileOf(drive) : '')
    const target = requireStorage(call.cluster, storage ?? origin?.storage ?? 'local', node)
    requirePrivs(call, `/storage/${target.storage}`, ['Datastore.AllocateSpace'])
    const wanted = /\.(qcow2|raw|vmdk)$/.exec(origin?.volname ?? '')?.[1]
    const volume = allocateVolume(call.cluster, {
      storage: target.storage,
      node,
      vmid,
      sizeBytes: size,
      content: 'images',
      format: formatOn(target, wanted ?? 'raw'),
    })
    task.log(`new volume ID is '${volume.volid}'`)
    await task.sleep(Math.ceil((size / GIB) * MS_PER_GIB))
    restored.set(option, volume)
  }
  return restored
}

/** Of a machine that is written over: disks that the archive brings back. */
function dropOldVolumes(cluster: Cluster, guest: Guest, archive: Archive): void {
  const options = new Set(archive.volumes.map(({option}) => option))
  for (const disk of disksOf(guest.config)) {
    const volid = volidOf(disk)
    if (options.has(disk.option) && ownerOf(cluster, volid) === guest.vmid)
      freeVolume(cluster, volid, guest.node)
  }
  for (const {vmstate} of Object.values(guest.snapshots)) {
    if (vmstate !== undefined) freeVolume(cluster, vmstate, guest.node)
  }
}

/** Its other volumes become unused. */
function keptVolumes(cluster: Cluster, guest: Guest, archive: Archive): string[] {
  const options = new Set(archive.volumes.map(({option}) => option))
  const kept = disksOf(guest.config).filter((disk) => !options.has(disk.option))
  const unused = Object.entries(guest.config).filter(([option]) => isUnusedName(option))
  return [...kept.map(volidOf), ...unused.map(([, volid]) => volid)].filter(
    (volid) => ownerOf(cluster, volid) === guest.vmid,
  )
}

function restoredConfig(
  cluster: Cluster,
  archive: Archive,
  volumes: Map<string, Volume>,
  isUnique: boolean,
): Section {
  const config: Section = {}
  for (const [option, value] of Object.entries(archive.config)) {
    if (LEFT_OUT.has(option) || isUnusedName(option)) continue
    if (isDriveName(option)) {
      const drive = restoredDrive(option, value, volumes.get(option))
      if (drive !== undefined) config[option] = drive
    } else config[option] = restoredOption(cluster, option, value, isUnique)
  }
  return config
}

/** A drive that was left out of the backup is left out here; a CD drive stays as it was. */
function restoredDrive(option: string, value: string, volume: Volume | undefined): string | undefined {
  const drive = parseDrive(option, value)
  if (!drive || drive['backup'] === '0') return undefined
  if (!volume) return isPlainCdrom(drive) ? value : undefined
  delete drive['format']
  return printDrive(option, {...drive, file: volume.volid, size: String(volume.size)})
}

/** A copy beside the original needs an identity of its own; the generation is always a new one. */
function restoredOption(cluster: Cluster, option: string, value: string, isUnique: boolean): string {
  if (option === 'vmgenid') return value === '0' ? value : cluster.randomUuid()
  if (!isUnique) return value
  if (option === 'smbios1') {
    const format = optionFormat('smbios1')
    return printPropertyString({...parsePropertyString(format, value), uuid: cluster.randomUuid()}, format)
  }
  if (!isNetName(option)) return value
  const net = parseNet(value)
  if (isTruthy(net['macaddr'])) net['macaddr'] = cluster.randomMac()
  return printPropertyString(net, optionFormat('net0'))
}
