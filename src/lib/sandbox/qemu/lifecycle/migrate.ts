// POST migrate: a machine moves to another node of the cluster, running or not.
import {requirePrivs, ROOT} from '../../access/permissions.ts'
import {flag, nodeOf, optionalText, text, type Call} from '../../call.ts'
import {requestHaAction} from '../../ha/request-state.ts'
import {checkLock} from '../../guest/snapshots.ts'
import {isHaManaged, requireQuorum} from '../../guest/status.ts'
import {die, paramError, PveError} from '../../pve-error.ts'
import {hasContent, requireStorage, tryParseVolid} from '../../storage/volumes.ts'
import {drivesOf, fileOf} from '../config/drive.ts'
import {moveVolume, scanVolumes, type LocalVolume} from './migrate-volumes.ts'
import {localResources} from './local-resources.ts'
import {parseStorageMap, sameStorages, type StorageMap} from './storage-map.ts'
import {checkContent} from './volume-rules.ts'
import {
  isTruthy,
  isUp,
  placeOf,
  refuseUnlessRoot,
  requireNode,
  requireVm,
  startTask,
  withVm,
  type VmPlace,
} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

interface Migration {
  place: VmPlace
  target: string
  map: StorageMap
  online: boolean
  force: boolean
  withLocalDisks: boolean
}

const GIB = 1024 ** 3
const CONNECT_MS = 300
const MS_PER_GIB = 300
const MEMORY_MS = 1000

export function migrate(call: Call): string {
  const target = text(call, 'target')
  if (target === nodeOf(call)) paramError({target: 'target is local node.'})
  requireQuorum(call.cluster)
  requireNode(call.cluster, target)
  refuseUnlessRoot(call, 'force', 'migration_type', 'migration_network')
  const place = placeOf(call)
  const guest = requireVm(place)
  checkLock(guest)
  if (isUp(guest) && !flag(call, 'online')) die("can't migrate running VM without --online")
  const map = checkStorages(call, guest, target)
  if (isHaManaged(call.cluster, 'qemu', place.vmid)) return askHaToMigrate(call, place, target)
  const migration: Migration = {
    place,
    target,
    map,
    online: flag(call, 'online'),
    force: flag(call, 'force'),
    withLocalDisks: flag(call, 'with-local-disks'),
  }
  return startTask(call, 'qmigrate', (task) => migrateVm(migration, task))
}

function checkStorages(call: Call, guest: Guest, target: string): StorageMap {
  const {cluster} = call
  const mapping = optionalText(call, 'targetstorage')
  const map = isTruthy(mapping) ? parseStorageMap(mapping) : sameStorages
  if (!map.isIdentity) requirePrivs(call, `/vms/${String(guest.vmid)}`, ['VM.Config.Disk'])
  for (const id of [...map.entries.values(), ...(map.fallback === undefined ? [] : [map.fallback])]) {
    const storage = requireStorage(cluster, id, target)
    requirePrivs(call, `/storage/${id}`, ['Datastore.AllocateSpace'])
    if (!hasContent(storage, 'images')) die(`storage '${id}' does not support vm images`)
  }
  if (map.isIdentity) checkAvailability(cluster, guest, target)
  return map
}

function checkAvailability(cluster: Cluster, guest: Guest, target: string): void {
  for (const {drive} of drivesOf(guest.config)) {
    const volid = fileOf(drive)
    const id = tryParseVolid(volid)
    if (!id) continue
    const storage = requireStorage(cluster, id.storage, guest.node)
    requireStorage(cluster, id.storage, target)
    checkContent(storage, volid)
  }
}

function askHaToMigrate(call: Call, place: VmPlace, target: string): string {
  const {cluster, vmid} = place
  return startTask(call, 'hamigrate', (task) => {
    task.log(`Requesting HA migration for VM ${String(vmid)} to node ${target}`)
    requestHaAction(cluster, () => {
      const guest = cluster.guest(vmid)
      if (guest && guest.node !== target && isHaManaged(cluster, 'qemu', vmid))
        migrateForHa(cluster, guest, target)
    })
  })
}

/** As the HA manager does it: online, with all disks. */
export function migrateForHa(cluster: Cluster, {node, vmid}: Guest, target: string): void {
  const place: VmPlace = {cluster, node, vmid}
  const migration = {place, target, map: sameStorages, online: true, force: false, withLocalDisks: true}
  cluster.tasks.start(node, 'qmigrate', String(vmid), ROOT, (task) => migrateVm(migration, task))
}

/** The body of a migrate task. Whatever goes wrong is in the log; the verdict is always the same. */
async function migrateVm(migration: Migration, task: TaskContext): Promise<void> {
  const {cluster} = migration.place
  const startedMs = cluster.clock.now()
  const log = (line: string): void => {
    const time = new Date(cluster.clock.now()).toISOString()
    task.log(`${time.slice(0, 10)} ${time.slice(11, 19)} ${line}`)
  }
  const duration = (): string => new Date(cluster.clock.now() - startedMs).toISOString().slice(11, 19)
  try {
    await withVm(migration.place, (guest) => moveToNode(migration, guest, task, log))
  } catch (error) {
    const why = error instanceof PveError ? error.message.trimEnd() : 'interrupted by signal'
    log(`ERROR: migration aborted (duration ${duration()}): ${why}`)
    die('migration aborted')
  }
  log(`migration finished successfully (duration ${duration()})`)
}

async function moveToNode(
  migration: Migration,
  guest: Guest,
  task: TaskContext,
  log: (line: string) => void,
): Promise<void> {
  const {place, target, map, withLocalDisks} = migration
  const {cluster} = place
  checkMigratable(migration, guest)
  await task.sleep(CONNECT_MS)
  const node = cluster.node(target)
  if (!node?.online) die("Can't connect to destination address using public key")
  log(`starting migration of VM ${String(guest.vmid)} to node '${target}' (${node.ip})`)
  const volumes = scanVolumes({cluster, guest, target, map, withLocalDisks, log})
  guest.config['lock'] = 'migrate'
  try {
    await moveData(guest, volumes, task, log)
    if (!cluster.node(target)?.online) die(`command '/usr/bin/ssh' to node '${target}' failed`)
  } catch (error) {
    delete guest.config['lock']
    throw error
  }
  switchOver(cluster, guest, volumes, target)
}

function checkMigratable({online, force}: Migration, guest: Guest): void {
  checkLock(guest)
  if (isUp(guest) && !online) die("can't migrate running VM without --online")
  const {blocking} = localResources(guest.config)
  if (blocking.length > 0 && (isUp(guest) || !force)) {
    die(`can't migrate VM which uses local devices: ${blocking.join(', ')}`)
  }
}

async function moveData(
  guest: Guest,
  volumes: LocalVolume[],
  task: TaskContext,
  log: (line: string) => void,
): Promise<void> {
  if (volumes.length > 0) log(isUp(guest) ? 'starting storage migration' : 'copying local disk images')
  for (const {sizeBytes} of volumes) await task.sleep(Math.ceil((sizeBytes / GIB) * MS_PER_GIB))
  if (!isUp(guest)) return
  log('start migrate command')
  await task.sleep(MEMORY_MS)
  log('migration completed, transferred VM-state')
}

/** In one step: from here on the machine is the other node's. */
function switchOver(cluster: Cluster, guest: Guest, volumes: LocalVolume[], target: string): void {
  for (const volume of volumes) {
    const volid = moveVolume(cluster, guest, volume, target)
    if (volid !== volume.volid) renameEverywhere(guest, volume.volid, volid)
  }
  guest.node = target
  delete guest.config['lock']
  if (isUp(guest)) guest.runtime.pid = cluster.tasks.nextPid()
}

function renameEverywhere(guest: Guest, from: string, to: string): void {
  const rename = (section: Section): void => {
    for (const [option, value] of Object.entries(section)) {
      if (value === from || value.startsWith(`${from},`)) section[option] = to + value.slice(from.length)
    }
  }
  rename(guest.config)
  rename(guest.pending)
  for (const snapshot of Object.values(guest.snapshots)) {
    rename(snapshot.config)
    if (snapshot.vmstate === from) snapshot.vmstate = to
  }
}
