// Taking a snapshot away, as containers and machines share it: the lock `snapshot-delete` stands while it loses its
// volumes one by one, so that an interrupted deletion can be taken up again.
import {die} from '../pve-error.ts'
import {
  addUnusedVolume,
  checkLock,
  isTemplate,
  keepUnused,
  reload,
  requireSnapshot,
  underLock,
  VOLUME_SNAPSHOT_MS,
} from './snapshots.ts'
import type {Guest, Section, Snapshot} from '../state.ts'
import type {SnapshotDriver, SnapshotWork} from './snapshots.ts'

/** The body of a delsnapshot task. */
export async function deleteSnapshot(work: SnapshotWork, driver: SnapshotDriver): Promise<void> {
  requireSnapshot(reload(work, driver), work.name)
  await underLock(work, driver, (guest) => {
    checkLock(guest)
    guest.config['lock'] = 'snapshot-delete'
  })
  const volids: string[] = []
  await underLock(work, driver, (guest) => {
    if (isTemplate(guest)) die("you can't delete a snapshot if vm is a template")
    const snapshot = lockedSnapshot(guest, work.name)
    snapshot.snapstate = 'delete'
    if (snapshot.vmstate) driver.freeVmstate?.(work.cluster, guest, snapshot.vmstate)
    delete snapshot.vmstate
    volids.push(...driver.volumes(snapshot.config).map((v) => v.volid))
  })
  for (const volid of volids) {
    await work.task.sleep(VOLUME_SNAPSHOT_MS)
    await underLock(work, driver, (guest) => {
      moveToUnused(lockedSnapshot(guest, work.name).config, driver, volid)
    })
  }
  await underLock(work, driver, (guest) => {
    forgetSnapshot(work, driver, guest, volids)
  })
}

function lockedSnapshot(guest: Guest, name: string): Snapshot {
  if (guest.config['lock'] !== 'snapshot-delete') die("encountered invalid lock, expected 'snapshot-delete'")
  return requireSnapshot(guest, name)
}

/** Step by step the section loses its drives, so that an interrupted deletion can be taken up again. */
function moveToUnused(section: Section, driver: SnapshotDriver, volid: string): void {
  for (const volume of driver.volumes(section)) {
    if (volume.volid !== volid) continue
    Reflect.deleteProperty(section, volume.option)
    addUnusedVolume(section, volid)
  }
}

function forgetSnapshot(work: SnapshotWork, driver: SnapshotDriver, guest: Guest, volids: string[]): void {
  const {parent} = lockedSnapshot(guest, work.name)
  if (guest.config['parent'] === work.name) {
    if (parent === undefined) delete guest.config['parent']
    else guest.config['parent'] = parent
  }
  for (const other of Object.values(guest.snapshots)) {
    if (other.parent !== work.name) continue
    if (parent === undefined) delete other.parent
    else other.parent = parent
  }
  Reflect.deleteProperty(guest.snapshots, work.name)
  delete guest.config['lock']
  const used = new Set(driver.volumes(guest.config).map((v) => v.volid))
  for (const volid of volids) if (!used.has(volid)) keepUnused(work.cluster, driver, guest.config, volid)
}
