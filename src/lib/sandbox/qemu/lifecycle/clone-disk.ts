// A copy of one disk for another machine or another storage: linked to its base, or full in a format that the
// target storage knows.
import {isCloudinit, type Drive} from '../config/drive.ts'
import {
  allocateVolume,
  cloneVolume,
  parseVolid,
  requireStorage,
  requireVolume,
} from '../../storage/volumes.ts'
import {isUnusedName, volidOf, type NamedDrive} from './drives.ts'
import {formatOn} from './volume-rules.ts'
import type {Cluster} from '../../cluster.ts'
import type {Volume} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

export interface CloneDiskWork {
  cluster: Cluster
  node: string
  task: TaskContext
  /** Gets every new volume, for the caller to free should its own work fail later. */
  made: string[]
}

export interface CloneTarget {
  vmid: number
  storage?: string
  format?: string
}

const KIB = 1024
const MIB = 1024 * KIB
const GIB = 1024 * MIB
const CLOUDINIT_BYTES = 4 * MIB
const START_MS = 200
const MS_PER_GIB = 100

/** The drive as it is to be stored at the target. */
export async function cloneDisk(
  work: CloneDiskWork,
  source: NamedDrive,
  target: CloneTarget,
  isFull: boolean,
): Promise<Drive> {
  const {cluster, node, task, made} = work
  const volid = volidOf(source)
  task.log(`create ${isFull ? 'full' : 'linked'} clone of drive ${source.option} (${volid})`)
  const volume = isFull ? allocateCopy(work, source, target) : cloneVolume(cluster, volid, node, target.vmid)
  made.push(volume.volid)
  if (isFull && !isCloudinit(source.drive)) await transfer(volume, task)
  const copy: Drive = {...source.drive, file: volume.volid}
  delete copy['format']
  if (!isUnusedName(source.option)) copy['size'] = String(volume.size)
  return copy
}

function allocateCopy(work: CloneDiskWork, source: NamedDrive, target: CloneTarget): Volume {
  const {cluster, node, task} = work
  const volid = volidOf(source)
  const original = requireVolume(cluster, volid, node)
  const storage = requireStorage(cluster, target.storage ?? parseVolid(volid).storage, node)
  const format = formatOn(storage, target.format ?? original.format)
  if (target.format !== undefined && target.format !== format) {
    task.log(
      `format '${target.format}' is not supported by the target storage '${storage.storage}'` +
        ` - using '${format}' instead`,
    )
  }
  return allocateVolume(cluster, {
    storage: storage.storage,
    node,
    vmid: target.vmid,
    sizeBytes: copySize(source, original.size),
    content: 'images',
    format,
    ...(isCloudinit(source.drive) && {tail: 'cloudinit'}),
  })
}

function copySize({option, drive}: NamedDrive, originalBytes: number): number {
  if (isCloudinit(drive)) return CLOUDINIT_BYTES
  if (option === 'efidisk0') return drive['efitype'] === '4m' ? 528 * KIB : 128 * KIB
  return option === 'tpmstate0' ? 4 * MIB : originalBytes
}

/** Time goes by with the size; a progress line as `qemu-img convert` gives it. */
async function transfer(volume: Volume, task: TaskContext): Promise<void> {
  const gib = volume.size / GIB
  await task.sleep(START_MS)
  task.log(`transferred 0.0 B of ${gib.toFixed(1)} GiB (0.00%)`)
  await task.sleep(Math.ceil(gib * MS_PER_GIB))
  task.log(`transferred ${gib.toFixed(1)} GiB of ${gib.toFixed(1)} GiB (100.00%)`)
}
