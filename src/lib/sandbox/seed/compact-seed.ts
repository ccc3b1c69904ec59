// Reads the compact seed, the form in which people write a cluster down. Its keys are told at the top of seed.ts.
import {addArchive, archiveName} from '../backup/archive.ts'
import {Cluster} from '../cluster.ts'
import {readAccess} from './compact-access.ts'
import {readGuest} from './compact-guests.ts'
import {readNodes, readStorages} from './compact-nodes.ts'
import type {SeedObject} from './seed-reader.ts'
import type {ClusterState, Guest, HaResource, Pool} from '../state.ts'

export const COMPACT_FORMAT = 'felhom-sandbox-seed/1'

const topKeys = ['format', 'note', 'time', 'cluster', 'nodes', 'storages', 'guests', 'pools', 'backups', 'ha']
const accessKeys = ['users', 'groups', 'roles', 'tokens', 'acl', 'passwords']
const otherKeys = ['unreachableNodes', 'knobs']

export function readCompactSeed(seed: SeedObject): ClusterState {
  seed.allowOnly([...topKeys, ...accessKeys, ...otherKeys])
  const nowMs = readTime(seed)
  const nodes = readNodes(seed, nowMs)
  const first = nodes[0] ?? seed.fail('nodes', 'at least one node is needed')
  const storages = readStorages(seed, nodes)
  const guests = new Map<number, Guest>()
  for (const from of seed.objects('guests')) {
    const guest = readGuest(from, {nodes, storages, nowMs})
    if (guests.has(guest.vmid)) from.fail('vmid', `${String(guest.vmid)} is there twice`)
    guests.set(guest.vmid, guest)
  }
  const cluster = seed.object('cluster')
  cluster.allowOnly(['name', 'quorate', 'localNode', 'version', 'options'])
  const state: ClusterState = {
    clusterName: cluster.optionalText('name') ?? null,
    quorate: cluster.flag('quorate', true),
    localNode: cluster.text('localNode', first.name),
    version: {release: '9.1', repoid: 'cf3780f9', version: cluster.text('version', '9.1.10')},
    options: readOptions(cluster.object('options')),
    nodes,
    unreachableNodes: seed
      .objects('unreachableNodes')
      .map((n) => ({name: n.text('name'), reason: n.text('reason')})),
    storages,
    guests,
    pools: seed.objects('pools').map((p) => readPool(p, guests)),
    access: readAccess(seed),
    tasks: [],
    ha: seed.objects('ha').map((r) => readHa(r, guests)),
    haRules: [],
    backupJobs: [],
    knobs: readKnobs(seed.object('knobs')),
  }
  addBackups(seed, state)
  return state
}

/** When everything in the seed is true; guests and nodes have been up for some time by then. */
function readTime(seed: SeedObject): number {
  const text = seed.text('time', '2026-01-01T00:00:00Z')
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? seed.fail('time', `is no date: ${text}`) : ms
}

function readOptions(options: SeedObject): Record<string, unknown> {
  return {mac_prefix: 'BC:24:11', ...Object.fromEntries(options.keys().map((k) => [k, options.raw(k)]))}
}

function readKnobs(knobs: SeedObject): ClusterState['knobs'] {
  knobs.allowOnly(['startDelaySeconds', 'stopDelaySeconds'])
  return {
    startDelaySeconds: knobs.number('startDelaySeconds', 1),
    stopDelaySeconds: knobs.number('stopDelaySeconds', 1),
  }
}

function readPool(from: SeedObject, guests: Map<number, Guest>): Pool {
  from.allowOnly(['poolid', 'comment', 'vmids', 'storages'])
  const vmids = from.numbers('vmids')
  const missing = vmids.find((vmid) => !guests.has(vmid))
  if (missing !== undefined) from.fail('vmids', `there is no guest ${String(missing)}`)
  const comment = from.optionalText('comment')
  return {
    poolid: from.text('poolid'),
    ...(comment !== undefined && {comment}),
    vmids,
    storages: from.texts('storages'),
  }
}

function readHa(from: SeedObject, guests: Map<number, Guest>): HaResource {
  from.allowOnly(['sid', 'state', 'comment'])
  const sid = from.text('sid')
  const [, type, vmid] = /^(ct|vm):(\d+)$/.exec(sid) ?? []
  const guest = guests.get(Number(vmid))
  if (guest?.kind !== (type === 'ct' ? 'lxc' : 'qemu')) from.fail('sid', `there is no such guest: ${sid}`)
  const comment = from.optionalText('comment')
  return {sid, state: from.text('state', 'started'), ...(comment !== undefined && {comment})}
}

/** Each backup holds its guest as the seed describes it. */
function addBackups(seed: SeedObject, state: ClusterState): void {
  const cluster = new Cluster(state, {now: () => readTime(seed), sleep: () => Promise.resolve()})
  for (const from of seed.objects('backups')) {
    from.allowOnly(['storage', 'vmid', 'time', 'notes', 'protected'])
    const id = from.text('storage')
    const vmid = from.number('vmid')
    const storage =
      state.storages.find((s) => s.storage === id) ?? from.fail('storage', `there is no storage ${id}`)
    const guest = state.guests.get(vmid) ?? from.fail('vmid', `there is no guest ${String(vmid)}`)
    const atMs = readTime(from)
    const volume = addArchive(cluster, storage, guest, archiveName(guest, atMs, 'zstd'))
    volume.ctime = Math.floor(atMs / 1000)
    const notes = from.optionalText('notes')
    if (notes !== undefined) volume.notes = notes
    if (from.flag('protected')) volume.protected = true
  }
}
