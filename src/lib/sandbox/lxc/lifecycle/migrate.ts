// Migration to another node of the cluster: local volumes are copied, the config file moves, and a container that
// ran is started again over there.
import {flag, nodeOf, optionalText, text, vmidOf, type Call} from '../../call.ts'
import {PveError, die, paramError} from '../../pve-error.ts'
import {ROOT, requirePrivs} from '../../access/permissions.ts'
import {requestHaAction} from '../../ha/request-state.ts'
import {checkLock} from '../../guest/snapshots.ts'
import {haResource, isHaManaged, isRunning, requireQuorum} from '../../guest/status.ts'
import {addVolume, copyVolume, findVolume, freeVolume, hasContent} from '../../storage/volumes.ts'
import {parseVolid, requireStorage} from '../../storage/volumes.ts'
import {exchangeVolume, volumesIn} from './container-volumes.ts'
import {checkMountPoints, localVolumes, parseStorageMap, requireNodeExists} from './migrate-checks.ts'
import {forkTask, isContainerRunning} from './power.ts'
import {startContainer, stopContainer} from './run-container.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'
import type {LocalVolume, StorageMap} from './migrate-checks.ts'

const DEFAULT_SHUTDOWN_SECONDS = 180
const COPY_VOLUME_MS = 400
const DEFAULT_PORT = '8006'

interface Migration {
  target: string
  map: StorageMap
  restart: boolean
  online: boolean
  timeoutSeconds: number
}

/** GET migrate: every other node, whether it is up or not. */
export function preconditions(call: Call): Record<string, unknown> {
  const {cluster} = call
  requireQuorum(cluster)
  const guest = cluster.requireGuest('lxc', nodeOf(call), vmidOf(call))
  checkLock(guest)
  const others = cluster.state.nodes.map((n) => n.name).filter((name) => name !== guest.node)
  const answer = {running: isRunning(guest) ? 1 : 0, 'allowed-nodes': others, 'not-allowed-nodes': {}}
  return isHaManaged(cluster, 'lxc', guest.vmid) ? {...answer, 'dependent-ha-resources': []} : answer
}

export function migrate(call: Call): string {
  const {cluster} = call
  const vmid = vmidOf(call)
  const migration = checkRequest(call)
  if (!isHaManaged(cluster, 'lxc', vmid)) {
    const place = {cluster, node: nodeOf(call), vmid}
    return forkTask(call, 'vzmigrate', (task) => runMigration(place, migration, task))
  }
  return forkTask(call, 'hamigrate', (task) => {
    task.log(`Requesting HA migration for CT ${String(vmid)} to node ${migration.target}`)
    requestHaAction(cluster, () => {
      const guest = cluster.guest(vmid)
      if (guest && guest.node !== migration.target && isHaManaged(cluster, 'lxc', vmid)) {
        migrateForHa(cluster, guest, migration.target)
      }
    })
  })
}

/** As the HA manager does it: with a restart, to storages of the same names. */
export function migrateForHa(cluster: Cluster, {node, vmid}: Guest, target: string): void {
  const migration: Migration = {
    ...{target, map: parseStorageMap(undefined), restart: true, online: false},
    timeoutSeconds: DEFAULT_SHUTDOWN_SECONDS,
  }
  const work = (task: TaskContext): Promise<void> => runMigration({cluster, node, vmid}, migration, task)
  cluster.tasks.start(node, 'vzmigrate', String(vmid), ROOT, work)
}

function checkRequest(call: Call): Migration {
  const {cluster} = call
  const target = text(call, 'target')
  if (target === nodeOf(call)) paramError({target: 'target is local node.'})
  requireQuorum(cluster)
  requireNodeExists(cluster, target)
  cluster.requireGuest('lxc', nodeOf(call), vmidOf(call))
  checkRunningMode(call)
  const map = parseStorageMap(optionalText(call, 'target-storage'))
  checkTargetStorages(call, target, map)
  return {
    target,
    map,
    restart: flag(call, 'restart'),
    online: flag(call, 'online'),
    timeoutSeconds: Number(optionalText(call, 'timeout') ?? DEFAULT_SHUTDOWN_SECONDS),
  }
}

function checkRunningMode(call: Call): void {
  if (!isContainerRunning(call) || flag(call, 'online') || flag(call, 'restart')) return
  die("can't migrate running container without --online or --restart")
}

function checkTargetStorages(call: Call, target: string, map: StorageMap): void {
  if (optionalText(call, 'target-storage') === undefined) return
  if (!map.isIdentity) requirePrivs(call, `/vms/${String(vmidOf(call))}`, ['VM.Config.Disk'])
  for (const storage of [...map.entries.values(), ...(map.byDefault === undefined ? [] : [map.byDefault])]) {
    const found = requireStorage(call.cluster, storage, target)
    requirePrivs(call, `/storage/${storage}`, ['Datastore.AllocateSpace'])
    if (!hasContent(found, 'rootdir')) die(`storage '${storage}' does not support CT rootdirs`)
  }
}

/** Whatever goes wrong is in the log; the task itself says no more than that the migration was aborted. */
async function runMigration(
  {cluster, node, vmid}: {cluster: Cluster; node: string; vmid: number},
  migration: Migration,
  task: TaskContext,
): Promise<void> {
  try {
    await cluster.locks.withLock('lxc', vmid, () =>
      moveGuest(cluster, cluster.requireGuest('lxc', node, vmid), migration, task),
    )
  } catch (error) {
    if (!(error instanceof PveError)) throw error
    task.log(`ERROR: migration aborted: ${error.message.trimEnd()}`)
    die(error.message.startsWith('migration problems') ? 'migration problems' : 'migration aborted')
  }
}

async function moveGuest(
  cluster: Cluster,
  guest: Guest,
  migration: Migration,
  task: TaskContext,
): Promise<void> {
  checkLock(guest)
  const wasRunning = isRunning(guest)
  if (wasRunning && migration.online) die('lxc live migration is currently not implemented')
  if (wasRunning && !migration.restart) die('running container can only be migrated in restart mode')
  checkMountPoints(cluster, guest, migration.target, migration.map)
  if (!cluster.node(migration.target)?.online) die("Can't connect to destination address using public key")
  if (wasRunning) {
    task.log(`shutdown CT ${String(guest.vmid)}`)
    await stopContainer(cluster, guest, task, {timeoutSeconds: migration.timeoutSeconds})
  }
  guest.config['lock'] = 'migrate'
  try {
    await transfer(cluster, guest, migration, task)
  } catch (error) {
    delete guest.config['lock']
    if (wasRunning) await startContainer(cluster, guest, task)
    throw error
  }
  delete guest.config['lock']
  if (!wasRunning) return
  task.log('start container on target node')
  await startOnTarget(cluster, guest, task)
}

async function transfer(
  cluster: Cluster,
  guest: Guest,
  migration: Migration,
  task: TaskContext,
): Promise<void> {
  const {target, map} = migration
  task.log(
    `starting migration of CT ${String(guest.vmid)} to node '${target}' (${cluster.node(target)?.ip ?? ''})`,
  )
  const local = localVolumes(cluster, guest, map, task)
  const moved = new Map<string, string>()
  for (const volume of local) {
    await task.sleep(COPY_VOLUME_MS)
    moved.set(volume.volid, copyToNode(cluster, guest, volume, target))
    task.log(`volume '${volume.volid}' is '${moved.get(volume.volid) ?? ''}' on the target`)
  }
  const source = guest.node
  for (const section of [
    guest.config,
    guest.pending,
    ...Object.values(guest.snapshots).map((s) => s.config),
  ]) {
    renameVolumes(section, moved)
  }
  guest.node = target
  for (const {volid} of local) freeVolume(cluster, volid, source)
}

/** Under its own name where that is free, else under the next. */
function copyToNode(
  cluster: Cluster,
  guest: Guest,
  {volid, targetStorage}: LocalVolume,
  target: string,
): string {
  const storage = requireStorage(cluster, targetStorage, target)
  const source = findVolume(cluster, volid, guest.node) ?? die(`volume '${volid}' does not exist`)
  const {storage: sourceStorage, volname} = parseVolid(volid)
  const sameName = `${targetStorage}:${volname}`
  const isSameType = requireStorage(cluster, sourceStorage).type === storage.type
  if (!isSameType || findVolume(cluster, sameName, target)) {
    return copyVolume(cluster, volid, guest.node, {storage: targetStorage, node: target, vmid: guest.vmid})
      .volid
  }
  const copy = {...source, volid: sameName}
  delete copy.node
  return addVolume(cluster, storage, target, copy).volid
}

function renameVolumes(section: Section, moved: ReadonlyMap<string, string>): void {
  for (const {option, volid} of volumesIn(section, true)) {
    const renamed = moved.get(volid)
    if (renamed !== undefined) section[option] = exchangeVolume(section, option, renamed)
  }
}

async function startOnTarget(cluster: Cluster, guest: Guest, task: TaskContext): Promise<void> {
  try {
    await startContainer(cluster, guest, task)
  } catch (error) {
    if (!(error instanceof PveError)) throw error
    task.log(`ERROR: ${error.message.trimEnd()}`)
    die('migration problems')
  }
}

/** POST remote_migrate: everything up to the connection, which never succeeds: there is nothing outside the sandbox. */
export function remoteMigrate(call: Call): never {
  const {cluster} = call
  requireQuorum(cluster)
  checkLock(cluster.requireGuest('lxc', nodeOf(call), vmidOf(call)))
  checkRunningMode(call)
  if (haResource(cluster, 'lxc', vmidOf(call))) {
    paramError({vmid: 'cannot remote-migrate CT that is configured for HA'})
  }
  const endpoint = text(call, 'target-endpoint')
  const host = /(?:^|,)host=([^,]+)/.exec(endpoint)?.[1] ?? ''
  const port = /(?:^|,)port=([^,]+)/.exec(endpoint)?.[1] ?? DEFAULT_PORT
  die(`Can't connect to ${host}:${port} (Connection refused)`)
}
