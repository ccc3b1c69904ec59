// Snapshots of machines: the shared state machine, driven with drives and, where asked, the memory.
import {requirePrivs} from '../../access/permissions.ts'
import {flag, optionalText, text, type Call} from '../../call.ts'
import {
  addUnusedVolume,
  createSnapshot,
  describeSnapshot,
  listSnapshots,
  requireSnapshot,
  type SnapshotDriver,
  type SnapshotRow,
  type SnapshotWork,
} from '../../guest/snapshots.ts'
import {deleteSnapshot} from '../../guest/snapshot-delete.ts'
import {rollbackSnapshot} from '../../guest/snapshot-rollback.ts'
import {die} from '../../pve-error.ts'
import {freeVolume, volumeHasFeature} from '../../storage/volumes.ts'
import {typedValue} from '../config/option-schema.ts'
import {disksOf, volidOf} from './drives.ts'
import {startAfterwards} from './power.ts'
import {startLocked} from './start.ts'
import {stopLocked} from './stop.ts'
import {allocateVmstate, vmstateStorage} from './suspend.ts'
import {isUp, placeOf, requireVm, startTask, type VmPlace} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Section, Snapshot} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

const ROLLBACK_STOP_SECONDS = 5
const RUNNING_OPTIONS = ['runningmachine', 'runningcpu', 'running-nets-host-mtu']

const driver: SnapshotDriver = {
  kind: 'qemu',
  volumes: (section) => disksOf(section).map((disk) => ({option: disk.option, volid: volidOf(disk)})),
  hasFeature: (cluster, guest) => hasFeatureOnAll(cluster, 'snapshot', guest.config),
  stop: (cluster, guest, task) =>
    stopLocked({cluster, node: guest.node, vmid: guest.vmid}, task, {
      shutdown: false,
      force: true,
      timeoutSeconds: ROLLBACK_STOP_SECONDS,
    }),
  saveVmstate: (cluster, guest, name, snapshot) => {
    const noted: Section = {}
    allocateVmstate(cluster, guest, name, vmstateStorage(cluster, guest.config), noted)
    const {vmstate, ...running} = noted
    Object.assign(snapshot.config, running)
    if (vmstate !== undefined) snapshot.vmstate = vmstate
  },
  freeVmstate: (cluster, guest, volid) => {
    freeVolume(cluster, volid, guest.node)
  },
  onVolumeSnapshot: (task, option, volid) => {
    task.log(`snapshotting 'drive-${option}' (${volid})`)
  },
  onRolledBack: (cluster, guest) => {
    for (const option of RUNNING_OPTIONS) Reflect.deleteProperty(guest.config, option)
    if (guest.config['vmgenid']) guest.config['vmgenid'] = cluster.randomUuid()
  },
  startFromVmstate: (cluster, guest, snapshot, task) => {
    const machine = snapshot.config['runningmachine']
    return startLocked(cluster, guest, task, {fromState: true, ...(machine !== undefined && {machine})})
  },
  addUnused: (cluster, section, volid) => {
    // A cloud-init volume is generated anew when it is needed again.
    if (!/vm-\d+-cloudinit/.test(volid)) addUnusedVolume(section, volid)
  },
}

/** Whether every disk of the section, or of that snapshot, offers the feature. */
export function hasFeatureOnAll(
  cluster: Cluster,
  feature: 'snapshot' | 'clone' | 'copy',
  section: Section,
  snapname?: string,
): boolean {
  const options = snapname === undefined ? {} : {snapname}
  return disksOf(section).every((disk) => volumeHasFeature(cluster, feature, volidOf(disk), options))
}

export const list = (call: Call): SnapshotRow[] => listSnapshots(requireVm(placeOf(call)))

export function create(call: Call): string {
  const place = placeOf(call)
  const name = text(call, 'snapname')
  if (name === 'current') die("unable to use snapshot name 'current' (reserved name)")
  if (name.toLowerCase() === 'pending') die("unable to use snapshot name 'pending' (reserved name)")
  const vmstate = flag(call, 'vmstate')
  const description = optionalText(call, 'description')
  if (vmstate) refuseUnsavable(requireVm(place).config)
  else requireVm(place)
  const options = {vmstate, ...(description !== undefined && {description})}
  return startTask(call, 'qmsnapshot', (task) => createSnapshot(workOf(place, name, task), driver, options))
}

/** Devices whose state cannot be saved with the memory. */
function refuseUnsavable(config: Section): void {
  const blockers = ['amd-sev', 'intel-tdx'].filter((option) => config[option])
  if (Object.keys(config).some((option) => /^virtiofs\d+$/.test(option))) blockers.push('virtiofs')
  if (blockers.length === 0) return
  die(`Cannot live-migrate, snapshot (with RAM), or hibernate a VM with: ${blockers.join(', ')}`)
}

export function remove(call: Call): string {
  const place = placeOf(call)
  const name = text(call, 'snapname')
  return startTask(call, 'qmdelsnapshot', (task) => deleteSnapshot(workOf(place, name, task), driver))
}

export function rollback(call: Call): string {
  const place = placeOf(call)
  const name = text(call, 'snapname')
  const starts = flag(call, 'start')
  if (starts) requirePrivs(call, `/vms/${String(place.vmid)}`, ['VM.PowerMgmt'])
  return startTask(call, 'qmrollback', async (task) => {
    await rollbackSnapshot(workOf(place, name, task), driver)
    if (!starts || isUp(requireVm(place))) return
    startAfterwards(call)
  })
}

export async function describe(call: Call): Promise<null> {
  const {cluster, node, vmid} = placeOf(call)
  const description = optionalText(call, 'description')
  if (description === undefined) return null
  await describeSnapshot(cluster, {kind: 'qemu', node, vmid}, text(call, 'snapname'), description)
  return null
}

export function config(call: Call): Record<string, unknown> {
  return typedSnapshot(requireSnapshot(requireVm(placeOf(call)), text(call, 'snapname')))
}

function typedSnapshot(snapshot: Snapshot): Record<string, unknown> {
  const answer: Record<string, unknown> = {snaptime: snapshot.snaptime}
  for (const [option, value] of Object.entries(snapshot.config)) answer[option] = typedValue(option, value)
  for (const key of ['parent', 'description', 'vmstate', 'snapstate'] as const) {
    if (snapshot[key] !== undefined) answer[key] = snapshot[key]
  }
  return answer
}

function workOf({cluster, node, vmid}: VmPlace, name: string, task: TaskContext): SnapshotWork {
  return {cluster, node, vmid, name, task}
}
