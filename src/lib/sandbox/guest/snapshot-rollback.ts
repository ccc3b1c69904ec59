// Going back to a snapshot, as containers and machines share it: the guest stops, the lock `rollback` stands while the
// volumes follow, and then the config becomes what it was.
import {die} from '../pve-error.ts'
import {parseSize} from '../schema/sizes.ts'
import {findVolume, parseVolid, requireStorage, resizeVolume} from '../storage/volumes.ts'
import {checkLock, isTemplate, isUnusedOption, keepUnused, requireSnapshot, underLock} from './snapshots.ts'
import type {Guest, Section, Snapshot} from '../state.ts'
import type {SnapshotDriver, SnapshotWork} from './snapshots.ts'

const VOLUME_ROLLBACK_MS = 60

/** The body of a rollback task; what the guest was waiting for (pending) is lost with the config. */
export async function rollbackSnapshot(work: SnapshotWork, driver: SnapshotDriver): Promise<void> {
  await underLock(work, driver, async (guest) => {
    requireNewest(work, driver, guest)
    rollbackTarget(guest, work.name)
    checkLock(guest)
    await driver.stop(work.cluster, guest, work.task)
    if (guest.runtime.status === 'running') die(`unable to rollback vm ${String(work.vmid)}: vm is running`)
    guest.config['lock'] = 'rollback'
  })
  await work.task.sleep(VOLUME_ROLLBACK_MS)
  await underLock(work, driver, async (guest) => {
    const snapshot = rollbackTarget(guest, work.name)
    if (guest.runtime.status === 'running') die(`unable to rollback vm ${String(work.vmid)}: vm is running`)
    if (guest.config['lock'] !== 'rollback') die('got wrong lock')
    applySnapshot(work, driver, guest, snapshot)
    restoreSizes(work, driver, guest)
    driver.onRolledBack?.(work.cluster, guest, snapshot)
    if (snapshot.vmstate) await driver.startFromVmstate?.(work.cluster, guest, snapshot, work.task)
  })
}

function rollbackTarget(guest: Guest, name: string): Snapshot {
  if (isTemplate(guest)) die("you can't rollback if vm is a template")
  const snapshot = requireSnapshot(guest, name)
  if (snapshot.snapstate) die(`unable to rollback to incomplete snapshot (snapstate = ${snapshot.snapstate})`)
  return snapshot
}

/** ZFS goes back to a volume's last snapshot only. */
function requireNewest({cluster, name}: SnapshotWork, driver: SnapshotDriver, guest: Guest): void {
  if (isTemplate(guest)) return
  const {config} = requireSnapshot(guest, name)
  const names = Object.keys(guest.snapshots)
  const later = names.slice(names.indexOf(name) + 1).map((other) => guest.snapshots[other]?.config ?? {})
  for (const {volid} of driver.volumes(config)) {
    if (requireStorage(cluster, parseVolid(volid).storage).type !== 'zfspool') continue
    if (later.some((section) => driver.volumes(section).some((volume) => volume.volid === volid))) {
      die(`can't rollback, '${name}' is not most recent snapshot on '${volid}'`)
    }
  }
}

/** A volume that has grown since is as small again as it was. */
function restoreSizes({cluster}: SnapshotWork, driver: SnapshotDriver, guest: Guest): void {
  for (const {option, volid} of driver.volumes(guest.config)) {
    const size = /(?:^|,)size=([^,]+)/.exec(guest.config[option] ?? '')?.[1]
    const bytes = size === undefined ? undefined : parseSize(size)
    if (bytes && findVolume(cluster, volid, guest.node)) resizeVolume(cluster, volid, guest.node, bytes)
  }
}

/** Description and unused volumes survive; everything else becomes what it was. */
function applySnapshot(work: SnapshotWork, driver: SnapshotDriver, guest: Guest, snapshot: Snapshot): void {
  const wanted = new Set(driver.volumes(snapshot.config).map((v) => v.volid))
  for (const {volid} of driver.volumes(guest.config)) {
    if (!wanted.has(volid)) keepUnused(work.cluster, driver, guest.config, volid)
  }
  const kept: Section = {}
  for (const [key, value] of Object.entries(guest.config)) {
    if (key === 'description' || (isUnusedOption(key) && !wanted.has(value))) kept[key] = value
  }
  guest.config = {...kept, ...snapshot.config, parent: work.name}
  guest.pending = {}
  guest.pendingDelete = {}
  delete guest.cloudinit
}
