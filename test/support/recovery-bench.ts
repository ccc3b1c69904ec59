// A run that was interrupted: real requests of the real writer to the sandbox core on virtual time, of which the
// journal knows as much as a crash has left it, and recover to look after them with the real reader.
import {
  recover,
  type Recovered,
  type RecoverOptions,
  type RecoverResult,
} from '../../src/lib/engine/recover.ts'
import {VirtualClock} from '../../src/lib/sandbox/clock.ts'
import {Cluster} from '../../src/lib/sandbox/cluster.ts'
import {loadSeed} from '../../src/lib/sandbox/seed.ts'
import type {Guest, Task} from '../../src/lib/sandbox/state.ts'
import {DispatchError} from '../../src/lib/model/dispatch-error.ts'
import {isFelhomError} from '../../src/lib/model/felhom-error.ts'
import type {ActualGuest} from '../../src/lib/model/actual.ts'
import type {GuestAddress} from '../../src/lib/model/guest.ts'
import {identifyGuest} from '../../src/lib/model/identity.ts'
import type {Intent, Operation, OperationBody} from '../../src/lib/model/operation.ts'
import {createReader, type Reader} from '../../src/lib/pve/read.ts'
import {createWriter} from '../../src/lib/pve/write.ts'
import {InProcessConnection, type InProcessFault} from '../../src/lib/testing/in-process-connection.ts'
import {MemoryJournal} from '../../src/lib/testing/memory-journal.ts'

export const TOKEN = 'root@pam!felhom'
export const OTHER_TOKEN = 'root@pam!other=33333333-4444-5555-6666-777777777777'
export const MARKER = 'BC:24:11:0A:0B:0C'
export const TEMPLATE = 'local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst'
export const BACKUP = 'nas:backup/vzdump-lxc-102-2026_01_01-00_00_00.tar.zst'

/** What the crashed process knew: the UPID, nothing of an answer, or that its request never arrived. */
export type Knowledge = 'upid' | 'no answer' | 'never arrived' | {readonly lateMs: number}

export class RecoveryBench {
  readonly clock = new VirtualClock()
  readonly cluster: Cluster
  readonly connection: InProcessConnection
  readonly reader: Reader
  readonly journal: MemoryJournal
  #fault: InProcessFault | undefined
  #operations = 0

  constructor(token?: string) {
    this.cluster = new Cluster(loadSeed(bench()), this.clock)
    this.connection = new InProcessConnection(this.cluster, {
      ...(token !== undefined && {token}),
      fault: ({method}) => (method === 'GET' ? undefined : this.#fault),
    })
    this.reader = createReader(this.connection)
    this.journal = new MemoryJournal(() => this.clock.now())
  }

  /** Journals and sends, and dies. Returns the operation's id. */
  async interrupt(
    target: GuestAddress,
    body: OperationBody,
    knows: Knowledge = 'no answer',
    more: Partial<Intent> = {},
  ): Promise<string> {
    return this.clock.run(this.#send(target, body, knows, more))
  }

  async #send(
    target: GuestAddress,
    body: OperationBody,
    knows: Knowledge,
    more: Partial<Intent>,
  ): Promise<string> {
    const op = `20270115T080000-beef.${++this.#operations}`
    const guest = await this.#readGuest(target)
    const intent: Intent = {
      op,
      run: '20270115T080000-beef',
      target,
      body,
      class: /^(?:destroy|snapshot-)/.test(body.type) ? 'destructive' : 'benign',
      before: {run: guest?.run ?? 'unknown', options: optionsBefore(body, guest), ...sizeBefore(body, guest)},
      ...(guest?.config.known && {
        identity: identifyGuest(target, guest.config.current),
        digest: guest.config.digest,
      }),
      knownTasks: await this.#ownTasks(target, body),
      atMs: this.clock.now(),
      ...more,
    }
    const journaled = await this.journal.start(intent)
    this.#fault = faultFor(knows)
    try {
      const answer = await createWriter(this.connection).dispatch(journaled)
      if (answer.kind === 'task') await this.journal.taskRunning(op, answer.upid.text)
    } catch (error) {
      if (!(error instanceof DispatchError) || knows === 'upid') throw error
    } finally {
      this.#fault = undefined
    }
    return op
  }

  async #readGuest(target: GuestAddress): Promise<ActualGuest | undefined> {
    try {
      return await this.reader.readGuest(target)
    } catch (error) {
      if (isFelhomError(error, 'guest_missing')) return undefined
      throw error
    }
  }

  async #ownTasks({node, vmid}: GuestAddress, body: OperationBody): Promise<string[]> {
    const isClone = body.type === 'create' && 'clone' in body.from
    const place = isClone && body.sourceNode !== undefined ? body.sourceNode : node
    const tasks = await this.reader.listTasks(place, {vmid: isClone ? body.from.clone : vmid})
    return tasks.filter(({upid}) => upid.user === TOKEN).map(({upid}) => upid.text)
  }

  recover(more: Partial<RecoverOptions> = {}): Promise<RecoverResult> {
    const {reader, journal, clock} = this
    const {signal} = new AbortController()
    return clock.run(recover({reader, journal, clock, tokenId: TOKEN, waitMs: 60_000, signal, ...more}))
  }

  /** Settled in as many runs as it takes, each when the one before said so. */
  async recoverFully(): Promise<void> {
    for (let i = 0; i < 10; i++) {
      const {lookAgainMs} = await this.recover()
      if (lookAgainMs === undefined) return
      await this.clock.advance(Math.max(0, lookAgainMs - this.clock.now()))
    }
  }

  operation(op: string): Operation {
    const operation = this.journal.operations.get(op)
    if (!operation) throw new Error(`no operation ${op}`)
    return operation
  }

  guest(vmid: number): Guest {
    const guest = this.cluster.guest(vmid)
    if (!guest) throw new Error(`no guest ${vmid}`)
    return guest
  }

  /** All tasks that the sandbox knows, in the order of their start. */
  get tasks(): readonly Task[] {
    return this.cluster.state.tasks
  }

  lastTask(): Task {
    const task = this.tasks.at(-1)
    if (!task) throw new Error('no task was started')
    return task
  }

  setOnline(name: string, online: boolean): void {
    const node = this.cluster.node(name)
    if (!node) throw new Error(`no node ${name}`)
    node.online = online
  }

  /** A request of somebody else, or of the same token past the journal. */
  async request(method: 'POST' | 'DELETE' | 'PUT', path: string, form = '', token?: string): Promise<void> {
    const other = new InProcessConnection(this.cluster, token === undefined ? {} : {token})
    const params = Object.fromEntries(new URLSearchParams(form))
    const [, , node = ''] = path.split('/')
    await this.clock.run(
      other.mutate({method, path: `/api2/json${path}` as never, node, params, synchronous: false}),
    )
  }
}

/** The one decision there is. */
export function onlyDecision({decisions}: RecoverResult): Recovered['decision'] {
  const [first, ...others] = decisions
  if (!first || others.length > 0) throw new Error(`${decisions.length} decisions instead of one`)
  return first.decision
}

function faultFor(knows: Knowledge): InProcessFault | undefined {
  if (knows === 'upid') return undefined
  if (knows === 'no answer') return {kind: 'reset', when: 'after'}
  return knows === 'never arrived' ? {kind: 'reset', when: 'before'} : {kind: 'late', ms: knows.lateMs}
}

function optionsBefore(body: OperationBody, guest: ActualGuest | undefined): Record<string, string | null> {
  if (body.type !== 'set-config' || !guest?.config.known) return {}
  const {current} = guest.config
  return Object.fromEntries(
    [...Object.keys(body.set), ...body.delete].map((name) => [name, current[name] ?? null]),
  )
}

const GIB = 1024 ** 3

function sizeBefore(body: OperationBody, guest: ActualGuest | undefined): {sizeBytes?: number} {
  if (body.type !== 'resize' || !guest?.config.known) return {}
  const gigabytes = /size=(\d+)G/.exec(guest.config.current[body.disk] ?? '')?.[1]
  return gigabytes === undefined ? {} : {sizeBytes: Number(gigabytes) * GIB}
}

const bench = (): unknown => ({
  format: 'felhom-sandbox-seed/1',
  cluster: {name: 'lab', localNode: 'pve1'},
  nodes: ['pve1', 'pve2', 'pve3'].map((name, i) => ({
    name,
    ip: `192.0.2.${i + 11}`,
    cpus: 4,
    memory: '8G',
    bridges: {vmbr0: `192.0.2.${i + 11}/24`},
  })),
  storages: [
    {
      storage: 'local',
      type: 'dir',
      shared: false,
      size: '100G',
      config: {path: '/var/lib/vz', content: 'iso,vztmpl'},
      files: {'vztmpl/debian-12-standard_12.7-1_amd64.tar.zst': '120M'},
    },
    {
      storage: 'nas',
      type: 'nfs',
      shared: true,
      size: '900G',
      config: {server: '192.0.2.5', export: '/nas', path: '/mnt/pve/nas', content: 'rootdir,images,backup'},
    },
    {
      storage: 'thin',
      type: 'lvmthin',
      shared: false,
      size: '100G',
      config: {vgname: 'pve', thinpool: 'data', content: 'rootdir,images'},
    },
  ],
  guests: [
    container(101, 'pve2', true),
    container(102, 'pve2', false),
    container(103, 'pve2', true, {pending: {nameserver: '192.0.2.53'}}),
    container(104, 'pve1', false),
    machine(201, 'pve2', false),
    machine(202, 'pve2', true),
    machine(203, 'pve2', false),
    machine(204, 'pve2', false, {snapshots: {before: {snaptime: 1_700_000_000}}}),
    container(105, 'pve2', true, {
      snapshots: {before: {snaptime: 1_700_000_000}},
      storage: 'thin:vm-105-disk-0',
    }),
  ],
  backups: [{storage: 'nas', vmid: 102, time: '2026-01-01T00:00:00Z'}],
  ha: [{sid: 'vm:203', state: 'stopped'}],
  users: [{userid: 'few@pve'}],
  acl: [{path: '/nodes', type: 'user', ugid: 'few@pve', propagate: 1, roleid: 'PVEAuditor'}],
  tokens: [
    {auth: 'full', tokenid: TOKEN, secret: '11111111-2222-3333-4444-555555555555', privsep: 0},
    {auth: 'other', tokenid: 'root@pam!other', secret: '33333333-4444-5555-6666-777777777777', privsep: 0},
    {auth: 'few', tokenid: 'few@pve!felhom', secret: '44444444-5555-6666-7777-888888888888', privsep: 0},
  ],
})

interface More {
  readonly pending?: object
  readonly snapshots?: object
  readonly storage?: string
}

const container = (
  vmid: number,
  node: string,
  running: boolean,
  {storage = `nas:${vmid}/vm-${vmid}-disk-0.raw`, ...more}: More = {},
): object => ({
  kind: 'lxc',
  vmid,
  node,
  running,
  config: {
    arch: 'amd64',
    hostname: `ct${vmid}`,
    memory: '512',
    ostype: 'debian',
    net0: `name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:${vmid % 100 < 10 ? '0' : ''}${vmid % 100},type=veth`,
    rootfs: `${storage},size=8G`,
  },
  ...more,
})

const machine = (vmid: number, node: string, running: boolean, more: More = {}): object => ({
  kind: 'qemu',
  vmid,
  node,
  running,
  config: {
    name: `vm${vmid}`,
    memory: '1024',
    smbios1: `uuid=00000000-0000-4000-8000-000000000${vmid}`,
    scsi0: `nas:${vmid}/vm-${vmid}-disk-0.qcow2,size=2G`,
  },
  ...more,
})
