// Snapshots of containers: the endpoints, and what the shared state machine must know about containers.
import {flag, nodeOf, optionalText, text, vmidOf, type Call} from '../../call.ts'
import {die} from '../../pve-error.ts'
import {
  createSnapshot,
  describeSnapshot,
  listSnapshots,
  type SnapshotDriver,
  type SnapshotRow,
  type SnapshotWork,
} from '../../guest/snapshots.ts'
import {deleteSnapshot} from '../../guest/snapshot-delete.ts'
import {rollbackSnapshot} from '../../guest/snapshot-rollback.ts'
import {readConfig} from '../config/read-config.ts'
import {containerHasFeature} from './feature.ts'
import {volumesIn} from './container-volumes.ts'
import {forkTask, startAfterwards} from './power.ts'
import {stopContainer} from './run-container.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

const RESERVED = ['current', 'vzdump']

const driver: SnapshotDriver = {
  kind: 'lxc',
  volumes: (section) => volumesIn(section),
  hasFeature: (cluster, guest) => containerHasFeature(cluster, guest.config, 'snapshot'),
  stop: (cluster, guest, task) => stopContainer(cluster, guest, task, {kill: true}),
}

const workOf = (call: Call, task: TaskContext): SnapshotWork => ({
  cluster: call.cluster,
  node: nodeOf(call),
  vmid: vmidOf(call),
  name: text(call, 'snapname'),
  task,
})

export function list(call: Call): SnapshotRow[] {
  return listSnapshots(call.cluster.requireGuest('lxc', nodeOf(call), vmidOf(call)))
}

export function create(call: Call): string {
  const name = text(call, 'snapname')
  if (RESERVED.includes(name)) die(`unable to use snapshot name '${name}' (reserved name)`)
  const description = optionalText(call, 'description')
  return forkTask(call, 'vzsnapshot', (task) =>
    createSnapshot(workOf(call, task), driver, description === undefined ? {} : {description}),
  )
}

export function remove(call: Call): string {
  return forkTask(call, 'vzdelsnapshot', (task) => deleteSnapshot(workOf(call, task), driver))
}

export function rollback(call: Call): string {
  return forkTask(call, 'vzrollback', async (task) => {
    await rollbackSnapshot(workOf(call, task), driver)
    if (flag(call, 'start')) startAfterwards(call)
  })
}

/** Nothing is checked where nothing is to be changed. */
export async function describe(call: Call): Promise<null> {
  const description = optionalText(call, 'description')
  const place = {kind: 'lxc', node: nodeOf(call), vmid: vmidOf(call)} as const
  if (description !== undefined) {
    await describeSnapshot(call.cluster, place, text(call, 'snapname'), description)
  }
  return null
}

/** The snapshot's own section; unlike GET config?snapshot= without a digest. */
export function config(call: Call): Record<string, unknown> {
  const params = {node: nodeOf(call), vmid: String(vmidOf(call)), snapshot: text(call, 'snapname')}
  const answer = readConfig({...call, params})
  delete answer['digest']
  return answer
}

export const index = (): {cmd: string}[] => [{cmd: 'rollback'}, {cmd: 'config'}]
