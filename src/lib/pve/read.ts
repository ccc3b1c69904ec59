// Everything felhom can ask Proxmox without changing anything. A reader is made from the reading half of a
// connection, so that whoever holds a reader holds no way to write.
import {isFelhomError} from '../model/felhom-error.ts'
import {isVmid, type GuestAddress} from '../model/guest.ts'
import type {ActualCluster, ActualGuest, KnownConfig} from '../model/actual.ts'
import type {Snapshot} from '../model/snapshot.ts'
import type {TaskEntry, TaskLog, TaskStatus} from '../model/task.ts'
import type {Upid} from '../model/upid.ts'
import {
  readClusterStatus,
  readGuestStatus,
  readNextId,
  readNodeRows,
  readNodeTimeMs,
  readPendingConfig,
  readPermissions,
  readSnapshotRows,
  readVersion,
  type ClusterStatusAnswer,
  type Permissions,
  type VersionAnswer,
} from './answers.ts'
import type {ReadConnection} from './connection.ts'
import {guestPath, joinPath, malformedPart, nodePath} from './paths.ts'
import {readCluster} from './read-cluster.ts'
import {readLogOfTask, readStatusOfTask, readTasksOfNode, type TaskFilter} from './tasks.ts'

export interface Reader {
  readCluster(): Promise<ActualCluster>
  /** One guest, state and config; throws guest_missing if it is not on that node. */
  readGuest(guest: GuestAddress): Promise<ActualGuest>
  readConfig(guest: GuestAddress): Promise<KnownConfig>
  /** Without the pseudo entry for the present state. */
  readSnapshots(guest: GuestAddress): Promise<Snapshot[]>
  taskStatus(upid: Upid): Promise<TaskStatus>
  taskLog(upid: Upid, page?: {readonly start?: number; readonly limit?: number}): Promise<TaskLog>
  listTasks(node: string, filter?: TaskFilter): Promise<TaskEntry[]>
  /** Names of the nodes that can be asked now. */
  listNodes(): Promise<readonly string[]>
  version(): Promise<VersionAnswer>
  permissions(): Promise<Permissions>
  clusterStatus(): Promise<ClusterStatusAnswer>
  /** What the node's clock shows, in milliseconds since the epoch. */
  nodeTimeMs(node: string): Promise<number>
  nextId(): Promise<number>
  /** Asked of the cluster itself, so that guests which the token may not see count too. */
  isVmidFree(vmid: number): Promise<boolean>
}

export function createReader(connection: ReadConnection): Reader {
  const data = async (...segments: string[]): Promise<unknown> =>
    (await connection.get(joinPath(...segments))).data
  return {
    readCluster: () => readCluster(connection),
    readGuest: (guest) => readGuest(connection, guest),
    readConfig: (guest) => readConfig(connection, guest),
    readSnapshots: async (guest) =>
      readSnapshotRows((await connection.get(guestPath(guest, 'snapshot'))).data),
    taskStatus: (upid) => readStatusOfTask(connection, upid),
    taskLog: (upid, page) => readLogOfTask(connection, upid, page),
    listTasks: (node, filter) => readTasksOfNode(connection, node, filter),
    listNodes: async () => onlineNames(await data('nodes')),
    version: async () => readVersion(await data('version')),
    permissions: async () => readPermissions(await data('access', 'permissions')),
    clusterStatus: async () => readClusterStatus(await data('cluster', 'status')),
    nodeTimeMs: async (node) => readNodeTimeMs((await connection.get(nodePath(node, 'time'))).data),
    nextId: async () => readNextId(await data('cluster', 'nextid')),
    isVmidFree: (vmid) => isVmidFree(connection, vmid),
  }
}

function onlineNames(data: unknown): string[] {
  const online = readNodeRows(data).filter((row) => row.status !== 'offline')
  return online.map((row) => row.name).sort()
}

export async function readConfig(connection: ReadConnection, guest: GuestAddress): Promise<KnownConfig> {
  return readPendingConfig((await connection.get(guestPath(guest, 'pending'))).data)
}

async function readGuest(connection: ReadConnection, guest: GuestAddress): Promise<ActualGuest> {
  const [status, config] = await Promise.all([
    connection.get(guestPath(guest, 'status', 'current')).then((answer) => readGuestStatus(answer.data)),
    readConfig(connection, guest),
  ])
  return {...status, kind: guest.kind, node: guest.node, config}
}

async function isVmidFree(connection: ReadConnection, vmid: number): Promise<boolean> {
  if (!isVmid(vmid)) throw malformedPart('guest number', String(vmid))
  try {
    await connection.get(joinPath('cluster', 'nextid'), {vmid})
    return true
  } catch (error) {
    if (isFelhomError(error, 'parameters_refused')) return false
    throw error
  }
}
