// The work of a vzdump task: one guest after the other, each locked while it is read. One guest's failure does not
// stop the others; the job as a whole then ends in "job errors".
import {startContainer, stopContainer} from '../lxc/lifecycle/run-container.ts'
import {powerOff} from '../qemu/lifecycle/stop.ts'
import {startLocked} from '../qemu/lifecycle/start.ts'
import {checkLock} from '../guest/snapshots.ts'
import {isHaManaged} from '../guest/status.ts'
import {die} from '../pve-error.ts'
import {freeVolume, hasContent, requireStorage} from '../storage/volumes.ts'
import {addArchive, archiveName} from './archive.ts'
import {renderNotes} from './notes-template.ts'
import type {Cluster} from '../cluster.ts'
import type {Guest, Storage} from '../state.ts'
import type {TaskContext} from '../tasks/task-runner.ts'

export interface BackupJob {
  cluster: Cluster
  node: string
  vmids: number[]
  storage: string
  mode: string
  compress?: string
  notesTemplate?: string
  protect: boolean
  /** Old backups beyond this many are removed; absent: all are kept. */
  keepLast?: number
  commandLine: string
  /** Dies when the caller may not back the guest up. */
  requireBackup: (vmid: number) => void
}

const READ_MS = 1000

/** The job that runs on each node; a second one waits for it. */
const lastJobs = new WeakMap<Cluster, Map<string, Promise<unknown>>>()

export async function runBackup(job: BackupJob, task: TaskContext): Promise<void> {
  const storage = openStorage(job)
  const jobs = lastJobs.get(job.cluster) ?? new Map<string, Promise<unknown>>()
  lastJobs.set(job.cluster, jobs)
  const before = jobs.get(job.node)
  if (before) task.log('INFO: trying to get global lock - waiting...')
  const mine = (before ?? Promise.resolve()).then(() => backUpAll(job, storage, task))
  const settled = mine
    .catch(() => undefined)
    .then(() => {
      if (jobs.get(job.node) === settled) jobs.delete(job.node)
    })
  jobs.set(job.node, settled)
  await mine
}

async function backUpAll(job: BackupJob, storage: Storage, task: TaskContext): Promise<void> {
  task.log(`INFO: starting new backup job: ${job.commandLine}`)
  const vmids = [...job.vmids].sort((a, b) => a - b)
  for (const vmid of vmids) if (job.cluster.guest(vmid)) job.requireBackup(vmid)
  let failures = 0
  for (const vmid of vmids) if (!(await backUpGuest(job, storage, vmid, task))) failures++
  task.log(`INFO: Backup job finished ${failures > 0 ? 'with errors' : 'successfully'}`)
  if (failures > 0) die('job errors')
}

/** Everything that is wrong with the target is told at once. */
function openStorage({cluster, node, storage: id}: BackupJob): Storage {
  const problems: string[] = []
  const attempt = (what: string, check: () => void): void => {
    try {
      check()
    } catch (error) {
      problems.push(`${what}: ${error instanceof Error ? error.message.trimEnd() : String(error)}`)
    }
  }
  attempt(`could not activate storage '${id}'`, () => requireStorage(cluster, id, node))
  attempt(`could not get storage information for '${id}'`, () => {
    if (!hasContent(requireStorage(cluster, id), 'backup')) {
      die(`can't use storage '${id}' for backups - wrong content type`)
    }
  })
  if (problems.length > 0) die(problems.join('\n'))
  return requireStorage(cluster, id, node)
}

async function backUpGuest(
  job: BackupJob,
  storage: Storage,
  vmid: number,
  task: TaskContext,
): Promise<boolean> {
  const id = String(vmid)
  try {
    const guest = job.cluster.guest(vmid) ?? die(`unable to find VM '${id}'`)
    task.log(`INFO: Starting Backup of VM ${id} (${guest.kind})`)
    task.log(`INFO: status = ${guest.runtime.status}`)
    if (
      job.mode === 'stop' &&
      isHaManaged(job.cluster, guest.kind, vmid) &&
      guest.runtime.status === 'running'
    ) {
      die(
        'Cannot execute a backup with stop mode on a HA managed and enabled Service. Use snapshot mode or disable the Service.',
      )
    }
    await underBackupLock(job.cluster, guest, () => archiveGuest(job, storage, guest, task))
    task.log(`INFO: Finished Backup of VM ${id} (00:00:01)`)
    return true
  } catch (error) {
    const message = error instanceof Error ? error.message.trimEnd() : String(error)
    task.log(`ERROR: Backup of VM ${id} failed - ${message}`)
    if (message === 'received interrupt') die('interrupted by signal')
    return false
  }
}

/** The config carries `lock: backup` meanwhile, and loses it whatever happens. */
async function underBackupLock(cluster: Cluster, guest: Guest, work: () => Promise<void>): Promise<void> {
  await cluster.locks.withLock(guest.kind, guest.vmid, () => {
    checkLock(guest)
    guest.config['lock'] = 'backup'
  })
  try {
    await work()
  } finally {
    if (guest.config['lock'] === 'backup') delete guest.config['lock']
  }
}

async function archiveGuest(
  job: BackupJob,
  storage: Storage,
  guest: Guest,
  task: TaskContext,
): Promise<void> {
  const {cluster} = job
  const isRunning = guest.runtime.status === 'running'
  const name = archiveName(guest, cluster.clock.now(), job.compress)
  task.log(`INFO: backup mode: ${isRunning ? job.mode : 'stop'}`)
  const restart = isRunning && job.mode === 'stop' ? await stopForBackup(cluster, guest, task) : undefined
  try {
    task.log(`INFO: creating vzdump archive '${storage.config['path'] ?? ''}/dump/${name}'`)
    await task.sleep(READ_MS)
    if (guest.kind === 'qemu' && cluster.state.knobs.isHypervisorFaked)
      die('start failed: QEMU exited with code 1')
    finishArchive(job, storage, guest, name, task)
  } finally {
    await restart?.()
  }
}

function finishArchive(
  job: BackupJob,
  storage: Storage,
  guest: Guest,
  name: string,
  task: TaskContext,
): void {
  const volume = addArchive(job.cluster, storage, guest, name)
  task.log(`INFO: archive file size: ${String(Math.ceil(volume.size / 2 ** 20))}MB`)
  if (job.notesTemplate) {
    task.log('INFO: adding notes to backup')
    volume.notes = renderNotes(job.cluster, guest, job.notesTemplate)
  }
  if (job.protect) {
    task.log('INFO: marking backup as protected')
    volume.protected = true
  }
  if (job.keepLast !== undefined) prune(job, storage, guest, job.keepLast, task)
}

/** Stops the guest and returns how it comes back. */
async function stopForBackup(
  cluster: Cluster,
  guest: Guest,
  task: TaskContext,
): Promise<() => Promise<void>> {
  task.log('INFO: stopping virtual guest')
  if (guest.kind === 'lxc') {
    await stopContainer(cluster, guest, task, {timeoutSeconds: 600, killAfterTimeout: true})
  } else {
    await task.sleep(cluster.state.knobs.stopDelaySeconds * 1000)
    powerOff(guest)
  }
  return async () => {
    task.log('INFO: restarting vm')
    if (guest.kind === 'lxc') await startContainer(cluster, guest, task)
    else await startLocked(cluster, guest, task, {skiplock: true})
  }
}

function prune(job: BackupJob, storage: Storage, guest: Guest, keep: number, task: TaskContext): void {
  const prefix = `${storage.storage}:backup/vzdump-${guest.kind}-${String(guest.vmid)}-`
  const mine = storage.volumes.filter((v) => v.volid.startsWith(prefix) && !v.protected)
  const old = mine.sort((a, b) => (a.volid < b.volid ? 1 : -1)).slice(keep)
  for (const volume of old) freeVolume(job.cluster, volume.volid, guest.node)
  task.log(`INFO: pruned ${String(old.length)} backup(s)`)
}
