// Reads the recorded seed: one real node as its own API described it.
import {parseConfigFile} from '../guest/config-file.ts'
import {parseTasks} from './seed-tasks.ts'
import {parseUpid} from '../tasks/upid.ts'
import type {SeedObject} from './seed-reader.ts'
import type {Access, ClusterState, Guest, Node, Pool, Storage, Task, Volume} from '../state.ts'

export function readRecordedSeed(seed: SeedObject): ClusterState {
  const tasks = parseTasks(seed.object('tasks').objects('list'))
  const localNode = seed.text('node')
  const nodes = readNodes(seed, tasks)
  return {
    clusterName: readClusterName(seed),
    quorate: true,
    localNode,
    version: readVersion(seed.object('version')),
    options: readOptions(seed.object('clusterOptions')),
    nodes,
    unreachableNodes: readUnreachable(seed.object('unreachableNodeNames')),
    storages: seed.objects('storages').map((s) => readStorage(s, localNode)),
    guests: new Map(seed.objects('guests').map((g) => toEntry(readGuest(g, localNode, tasks)))),
    pools: seed.objects('pools').map(readPool),
    access: readAccess(seed),
    tasks,
    ha: [],
    haRules: [],
    backupJobs: [],
    knobs: {
      startDelaySeconds: seed.object('knobDefaults').number('startDelaySeconds', 1),
      stopDelaySeconds: seed.object('knobDefaults').number('stopDelaySeconds', 1),
      isHypervisorFaked: true,
    },
  }
}

const toEntry = (guest: Guest): [number, Guest] => [guest.vmid, guest]

function readClusterName(seed: SeedObject): string | null {
  const row = seed.objects('clusterStatus').find((r) => r.text('type') === 'cluster')
  return row?.text('name') ?? null
}

function readVersion(version: SeedObject): ClusterState['version'] {
  return {release: version.text('release'), repoid: version.text('repoid'), version: version.text('version')}
}

/** Name → what happens, in words; a key that is no host name describes all others. */
function readUnreachable(names: SeedObject): ClusterState['unreachableNodes'] {
  return names
    .keys()
    .filter((name) => !name.includes(' '))
    .map((name) => {
      const isRefused = names.text(name).includes('refused')
      return {name, reason: isRefused ? 'Connection refused' : 'No route to host'}
    })
}

function readOptions(options: SeedObject): Record<string, unknown> {
  return Object.fromEntries(options.keys().map((k) => [k, options.raw(k)]))
}

function readNodes(seed: SeedObject, tasks: Task[]): Node[] {
  const resources = seed.objects('resources').filter((r) => r.text('type') === 'node')
  const bridges = seed.objects('bridges').map((b) => {
    const address = b.optionalText('address')
    return {iface: b.text('iface'), ...(address !== undefined && {address})}
  })
  return seed.texts('nodes').map((name) => {
    const row = resources.find((r) => r.text('node') === name)
    const status = seed.objects('clusterStatus').find((r) => r.optionalText('name') === name)
    return {
      name,
      ip: status?.text('ip') ?? '127.0.0.1',
      online: true,
      cpus: row?.number('maxcpu') ?? 2,
      memoryBytes: row?.number('maxmem') ?? 8 * 2 ** 30,
      bridges,
      bootedMs: bootTimeMs(name, tasks),
    }
  })
}

/** A task's pstart counts hundredths of a second since its node booted. */
function bootTimeMs(node: string, tasks: Task[]): number {
  const latest = tasks.filter((t) => t.node === node).at(-1)
  return latest ? latest.starttime * 1000 - latest.pstart * 10 : 0
}

const storageMeta = new Set(['storage', 'type', 'digest', 'nodeStatus', 'volumes', 'nodes', 'shared'])

function readStorage(from: SeedObject, node: string): Storage {
  const status = from.object('nodeStatus')
  const shared = status.flag('shared')
  const nodes = from.optionalText('nodes')
  const options = from.keys().filter((k) => !storageMeta.has(k))
  return {
    storage: from.text('storage'),
    type: from.text('type'),
    config: Object.fromEntries(options.map((k) => [k, from.text(k)])),
    ...(nodes !== undefined && {nodes: nodes.split(',')}),
    shared,
    totalBytes: status.number('total', 0),
    usedBytes: status.number('used', 0),
    volumes: from.objects('volumes').map((v) => readVolume(v, shared ? undefined : node)),
  }
}

function readVolume(from: SeedObject, node: string | undefined): Volume {
  const vmid = from.optionalNumber('vmid')
  const used = from.optionalNumber('used')
  const ctime = from.optionalNumber('ctime')
  return {
    volid: from.text('volid'),
    ...(node !== undefined && {node}),
    ...(vmid !== undefined && {vmid}),
    format: from.text('format'),
    content: from.text('content'),
    size: from.number('size'),
    ...(used !== undefined && {used}),
    ...(ctime !== undefined && {ctime}),
    ...(from.keys().includes('parent') && {parent: from.optionalText('parent') ?? null}),
  }
}

function readGuest(from: SeedObject, node: string, tasks: Task[]): Guest {
  const kind = from.text('kind')
  if (kind !== 'lxc' && kind !== 'qemu') from.fail('kind', 'must be lxc or qemu')
  const vmid = from.number('vmid')
  const status = from.object('status')
  const isRunning = from.text('state') === 'running'
  const started = tasks.findLast((t) => t.id === String(vmid) && /start$/.test(parseUpid(t.upid)?.type ?? ''))
  const machine = status.optionalText('running-machine')
  return {
    kind,
    vmid,
    node,
    ...parseConfigFile(kind, from.text('rawConfig')),
    runtime: isRunning
      ? {
          status: 'running',
          pid: status.number('pid'),
          startedMs: (started?.endtime ?? 0) * 1000,
          ...(machine !== undefined && {machine}),
        }
      : {status: 'stopped'},
    knobs: {},
  }
}

function readPool(from: SeedObject): Pool {
  const comment = from.optionalText('comment')
  const members = from.objects('members')
  return {
    poolid: from.text('poolid'),
    ...(comment !== undefined && {comment}),
    vmids: members.filter((m) => m.has('vmid')).map((m) => m.number('vmid')),
    storages: members.filter((m) => m.text('type') === 'storage').map((m) => m.text('storage')),
  }
}

function readAccess(seed: SeedObject): Access {
  return {
    users: seed.objects('users').map(readUser),
    tokens: seed.objects('tokens').map((t) => ({
      tokenid: t.text('tokenid'),
      secret: t.text('secret'),
      privsep: t.number('privsep', 1),
      expire: t.number('expire', 0),
    })),
    roles: seed.objects('roles').map((r) => ({
      roleid: r.text('roleid'),
      special: r.number('special', 0),
      privs: r.texts('privs'),
    })),
    acl: seed.objects('acl').map((a) => readAclEntry(a)),
    groups: seed.objects('groups').map((g) => ({groupid: g.text('groupid'), users: g.texts('users')})),
    realms: seed
      .objects('realms')
      .map((r) => ({realm: r.text('realm'), type: r.text('type'), ...comment(r)})),
    passwords: seed.options('passwords'),
  }
}

function readUser(from: SeedObject): Access['users'][number] {
  const email = from.optionalText('email')
  return {
    userid: from.text('userid'),
    enable: from.number('enable', 1),
    expire: from.number('expire', 0),
    ...(email !== undefined && {email}),
    realmType: from.text('realm-type'),
    ...comment(from),
  }
}

export function readAclEntry(from: SeedObject): Access['acl'][number] {
  const type = from.text('type', 'user')
  if (type !== 'user' && type !== 'group' && type !== 'token')
    from.fail('type', 'must be user, group or token')
  return {
    path: from.text('path'),
    type,
    ugid: from.text('ugid'),
    propagate: from.number('propagate', 1),
    roleid: from.text('roleid'),
  }
}

function comment(from: SeedObject): {comment?: string} {
  const text = from.optionalText('comment')
  return text === undefined ? {} : {comment: text}
}
