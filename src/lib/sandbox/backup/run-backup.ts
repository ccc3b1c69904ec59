// The work of a vzdump task: one guest after the other, each locked while it is read. One guest's failure does not
// stop the others; the job as a whole then ends in "job errors".
import {startContainer, stopContainer} from '../lxc/lifecycle/run-container.ts'
import {powerOff} from '../qemu/lifecycle/stop.ts'
import {startLocked} from '../qemu/lifecycle/start.ts'
import {checkLock} from '../guest/snapshots.ts'
import {haResource} from '../guest/status.ts'
import {die} from '../pve-error.ts'
import {hasContent, listVolumes, requireStorage} from '../storage/volumes.ts'
import {addArchive, archiveName} from './archive.ts'
import {renderNotes} from './notes-template.ts'
import {prune} from './prune.ts'
import {keepsAll, type Retention} from './retention.ts'
import type {Cluster} from '../cluster.ts'
import type {Guest, Storage, Volume} from '../state.ts'
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
  /** What is to be kept of the guest's backups. */
  keep: Retention
  /** Whether what is not kept goes afterwards; otherwise it is in the way beforehand. */
  remove: boolean
  commandLine: string
  /** Whether the caller may back the guest up; dies where it was named and may not. */
  mayBackUp: (vmid: number) => boolean
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
  const vmids = [...job.vmids]
    .sort((a, b) => a - b)
    .filter((vmid) => !job.cluster.guest(vmid) || job.mayBackUp(vmid))
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
    if (job.mode === 'stop' && haResource(job.cluster, guest.kind, vmid)?.state === 'started') {
      die(
        'Cannot execute a backup with stop mode on a HA managed and enabled Service. Use snapshot mode or disable the Service.',
      )
    }
    requireRoom(job, storage, guest)
    task.log(`INFO: Starting Backup of VM ${id} (${guest.kind})`)
    task.log(`INFO: status = ${guest.runtime.status}`)
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
  const startedMs = cluster.clock.now()
  const name = archiveName(guest, startedMs, job.compress)
  task.log(`INFO: backup mode: ${isRunning ? job.mode : 'stop'}`)
  const restart = isRunning && job.mode === 'stop' ? await stopForBackup(cluster, guest, task) : undefined
  try {
    task.log(`INFO: creating vzdump archive '${storage.config['path'] ?? ''}/dump/${name}'`)
    await task.sleep(READ_MS)
    if (guest.kind === 'qemu' && cluster.state.knobs.isHypervisorFaked)
      die('start failed: QEMU exited with code 1')
    const volume = addArchive(cluster, storage, guest, name)
    volume.ctime = Math.floor(startedMs / 1000)
    finishArchive(job, storage, guest, volume, task)
  } finally {
    await restart?.()
  }
}

function finishArchive(
  job: BackupJob,
  storage: Storage,
  guest: Guest,
  volume: Volume,
  task: TaskContext,
): void {
  task.log(`INFO: archive file size: ${String(Math.ceil(volume.size / 2 ** 20))}MB`)
  if (job.notesTemplate) {
    task.log('INFO: adding notes to backup')
    volume.notes = renderNotes(job.cluster, guest, job.notesTemplate)
  }
  if (job.protect) {
    task.log('INFO: marking backup as protected')
    volume.protected = true
  }
  if (job.remove && !keepsAll(job.keep)) pruneGuest(job, storage, guest, task)
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

function pruneGuest(job: BackupJob, storage: Storage, guest: Guest, task: TaskContext): void {
  const {cluster, keep} = job
  const rules = Object.keys(keep).sort()
  const shown = rules.map((rule) => `${rule}=${String(keep[rule])}`).join(', ')
  task.log(`INFO: prune older backups with retention: ${shown}`)
  const request = {storage: storage.storage, node: guest.node, keep, vmid: guest.vmid, type: guest.kind}
  const count = prune(cluster, request, (line) => {
    task.log(`INFO: ${line}`)
  })
  const why = count > 0 ? ' not covered by keep-retention policy' : ''
  task.log(`INFO: pruned ${String(count)} backup(s)${why}`)
}

/** Where nothing is removed afterwards, there must be room for one more beforehand. */
function requireRoom(job: BackupJob, storage: Storage, guest: Guest): void {
  if (job.remove || job.protect || keepsAll(job.keep)) return
  const limit = Object.values(job.keep).reduce((sum, count) => sum + count, 0)
  const backups = listVolumes(storage, guest.node, {vmid: guest.vmid, content: 'backup'})
  if (backups.filter((v) => !v.protected).length < limit) return
  die(
    `There is a max backup limit of ${String(limit)} enforced by the target storage or the vzdump parameters. Either increase the limit or delete old backups.`,
  )
}
