// What containers and machines share of snapshots: the list with its pseudo entry `current`, and how they are taken
// (deletion and rollback stand beside it). It touches one guest's config sections, always under its config lock.
// A snapshot is either whole, or marked by `snapstate` and guarded by the guest's `lock` until it is.
import {die} from '../pve-error.ts'
import {configDigest, descriptionAsRead} from './config-file.ts'
import type {Cluster} from '../cluster.ts'
import type {Guest, Kind, Section, Snapshot} from '../state.ts'
import type {TaskContext} from '../tasks/task-runner.ts'

/** What differs between the two kinds of guest. */
export interface SnapshotDriver {
  kind: Kind
  /** The volumes of a section that are snapshotted (no CD drives, no bind mounts). */
  volumes(section: Section): {option: string; volid: string}[]
  /** Whether the storages of all volumes can take a snapshot. */
  hasFeature(cluster: Cluster, guest: Guest): boolean
  /** Stops the guest if it runs, before a rollback. */
  stop(cluster: Cluster, guest: Guest, task: TaskContext): Promise<void>
  /** Machines: allocates the state volume of a running guest and notes it in the snapshot. */
  saveVmstate?(cluster: Cluster, guest: Guest, name: string, snapshot: Snapshot): void
  /** Machines: frees the state volume. */
  freeVmstate?(cluster: Cluster, guest: Guest, volid: string): void
  /** Each volume, as its snapshot is taken: for the task log. */
  onVolumeSnapshot?(task: TaskContext, option: string, volid: string): void
  /** The config has just become the snapshot's; last changes before it is written. */
  onRolledBack?(cluster: Cluster, guest: Guest, snapshot: Snapshot): void
  /** Machines: resumes from the saved state once the rolled back config is written. */
  startFromVmstate?(cluster: Cluster, guest: Guest, snapshot: Snapshot, task: TaskContext): Promise<void>
  /** A volume that no section names any more but the config must not forget; default: the next `unusedN`. */
  addUnused?(cluster: Cluster, section: Section, volid: string): void
}

/** Which guest, which snapshot, and the task on whose behalf. */
export interface SnapshotWork {
  cluster: Cluster
  node: string
  vmid: number
  name: string
  task: TaskContext
}

const GUEST_TYPE: Record<Kind, string> = {lxc: 'CT', qemu: 'VM'}
const MAX_UNUSED = 256
export const VOLUME_SNAPSHOT_MS = 60

/** Dies if the guest carries a lock: "CT is locked (backup)". */
export function checkLock(guest: Guest): void {
  const lock = guest.config['lock']
  if (lock) die(`${GUEST_TYPE[guest.kind]} is locked (${lock})`)
}

export const isTemplate = (guest: Guest): boolean => guest.config['template'] === '1'

/** The lowest free `unusedN` keeps the volume; a volume that is already there is not added again. */
export function addUnusedVolume(section: Section, volid: string): string | undefined {
  let free: string | undefined
  for (let index = MAX_UNUSED - 1; index >= 0; index--) {
    const key = `unused${String(index)}`
    if (section[key] === volid) return undefined
    if (!section[key]) free = key
  }
  if (!free) die('Too many unused volumes - please delete them first.')
  section[free] = volid
  return free
}

export interface SnapshotRow {
  name: string
  description: string
  snaptime?: number
  parent?: string
  snapstate?: string
  vmstate?: number
  digest?: string
  running?: number
}

/** The answer of GET snapshot. */
export function listSnapshots(guest: Guest): SnapshotRow[] {
  const rows = Object.entries(guest.snapshots).map(([name, s]): SnapshotRow => {
    const row: SnapshotRow = {name, snaptime: s.snaptime, description: s.description ?? ''}
    if (guest.kind === 'qemu') row.vmstate = s.vmstate ? 1 : 0
    if (s.parent !== undefined) row.parent = s.parent
    if (s.snapstate) row.snapstate = s.snapstate
    return row
  })
  const running = guest.runtime.status === 'running' ? 1 : 0
  const digest = configDigest(guest)
  const current: SnapshotRow = {name: 'current', digest, running, description: 'You are here!'}
  const parent = guest.config['parent']
  if (parent !== undefined) current.parent = parent
  return [...rows, current]
}

/** The snapshot, or "snapshot 'x' does not exist". */
export function requireSnapshot(guest: Guest, name: string): Snapshot {
  const snapshot = Object.hasOwn(guest.snapshots, name) ? guest.snapshots[name] : undefined
  return snapshot ?? die(`snapshot '${name}' does not exist`)
}

/** PUT snapshot/{name}/config. */
export async function describeSnapshot(
  cluster: Cluster,
  guest: Pick<Guest, 'kind' | 'node' | 'vmid'>,
  name: string,
  description: string,
): Promise<void> {
  await cluster.locks.withLock(guest.kind, guest.vmid, () => {
    const live = cluster.requireGuest(guest.kind, guest.node, guest.vmid)
    checkLock(live)
    setDescription(live.kind, requireSnapshot(live, name), description)
  })
}

/** The body of a snapshot task. */
export async function createSnapshot(
  work: SnapshotWork,
  driver: SnapshotDriver,
  options: {description?: string; vmstate?: boolean} = {},
): Promise<void> {
  await underLock(work, driver, (guest) => {
    prepareSnapshot(work, driver, guest, options)
  })
  try {
    for (const {option, volid} of driver.volumes(reload(work, driver).config)) {
      driver.onVolumeSnapshot?.(work.task, option, volid)
      await work.task.sleep(VOLUME_SNAPSHOT_MS)
    }
  } catch (error) {
    await undoSnapshot(work, driver)
    throw error
  }
  await underLock(work, driver, (guest) => {
    if (guest.config['lock'] !== 'snapshot') die('missing snapshot lock')
    const snapshot = requireSnapshot(guest, work.name)
    if (snapshot.snapstate !== 'prepare') die('wrong snapshot state')
    delete snapshot.snapstate
    delete guest.config['lock']
    guest.config['parent'] = work.name
  })
}

async function undoSnapshot(work: SnapshotWork, driver: SnapshotDriver): Promise<void> {
  work.task.log('snapshot create failed: starting cleanup')
  await underLock(work, driver, (guest) => {
    const vmstate = guest.snapshots[work.name]?.vmstate
    if (vmstate) driver.freeVmstate?.(work.cluster, guest, vmstate)
    Reflect.deleteProperty(guest.snapshots, work.name)
    if (guest.config['lock'] === 'snapshot') delete guest.config['lock']
  })
}

function prepareSnapshot(
  {cluster, name, task}: SnapshotWork,
  driver: SnapshotDriver,
  guest: Guest,
  options: {description?: string; vmstate?: boolean},
): void {
  if (isTemplate(guest)) die("you can't take a snapshot if it's a template")
  checkLock(guest)
  if (Object.hasOwn(guest.snapshots, name)) die(`snapshot name '${name}' already used`)
  if (!driver.hasFeature(cluster, guest)) die('snapshot feature is not available')
  for (const [other, snapshot] of Object.entries(guest.snapshots)) {
    if (snapshot.parent !== name) continue
    task.log(`deleting parent '${name}' reference from '${other}' to avoid bogus snapshot cycle.`)
    delete snapshot.parent
  }
  const snapshot: Snapshot = {config: snapshotConfig(guest.config), snaptime: cluster.nowSeconds()}
  const parent = guest.config['parent']
  if (parent !== undefined) snapshot.parent = parent
  if (options.vmstate && guest.runtime.status === 'running')
    driver.saveVmstate?.(cluster, guest, name, snapshot)
  snapshot.snapstate = 'prepare'
  if (options.description) setDescription(guest.kind, snapshot, options.description)
  guest.config['lock'] = 'snapshot'
  guest.snapshots[name] = snapshot
}

export const isUnusedOption = (key: string): boolean => /^unused\d+$/.test(key)

function snapshotConfig(config: Section): Section {
  const copy: Section = {}
  for (const [key, value] of Object.entries(config)) {
    if (
      key === 'lock' ||
      key === 'parent' ||
      key === 'description' ||
      key === 'vmstate' ||
      isUnusedOption(key)
    )
      continue
    copy[key] = value
  }
  return copy
}

/** Notes a volume that nothing names any more, the way the kind of guest does. */
export function keepUnused(cluster: Cluster, driver: SnapshotDriver, section: Section, volid: string): void {
  if (driver.addUnused) driver.addUnused(cluster, section, volid)
  else addUnusedVolume(section, volid)
}

function setDescription(kind: Kind, snapshot: Snapshot, description: string): void {
  const stored = descriptionAsRead(kind, description)
  if (stored === undefined) delete snapshot.description
  else snapshot.description = stored
}

export const reload = (work: SnapshotWork, driver: SnapshotDriver): Guest =>
  work.cluster.requireGuest(driver.kind, work.node, work.vmid)

/** Runs `change` under the config lock with the guest as it is then. */
export function underLock<T>(
  work: SnapshotWork,
  driver: SnapshotDriver,
  change: (guest: Guest) => T | Promise<T>,
): Promise<T> {
  return work.cluster.locks.withLock(driver.kind, work.vmid, () => change(reload(work, driver)))
}
