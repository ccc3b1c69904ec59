import {expect} from 'chai'
import type {GuestAddress} from '../../../src/lib/model/guest.ts'
import type {OperationBody, OperationState} from '../../../src/lib/model/operation.ts'
import {addGuest, removeGuest} from '../../../src/lib/sandbox/guest/registry.ts'
import {BACKUP, MARKER, RecoveryBench, TEMPLATE, type Knowledge} from '../../support/recovery-bench.ts'

const GIB = 1024 ** 3
const on = (node: string, kind: 'lxc' | 'qemu', vmid: number): GuestAddress => ({node, kind, vmid})
const net0 = `name=eth0,bridge=vmbr0,hwaddr=${MARKER}`

/** Every kind of operation, on a guest that is ready for it. */
const OPERATIONS: Readonly<Record<string, readonly [GuestAddress, OperationBody]>> = {
  'start of a container': [on('pve2', 'lxc', 102), {type: 'start'}],
  'start of a machine': [on('pve2', 'qemu', 201), {type: 'start'}],
  'shutdown of a container': [on('pve2', 'lxc', 101), {type: 'shutdown', timeoutMs: 60_000, force: false}],
  'shutdown of a machine': [on('pve2', 'qemu', 202), {type: 'shutdown', timeoutMs: 60_000, force: false}],
  'restart of a container': [on('pve2', 'lxc', 103), {type: 'restart'}],
  'resize of a container': [on('pve2', 'lxc', 102), {type: 'resize', disk: 'rootfs', toBytes: 16 * GIB}],
  'resize of a machine': [on('pve2', 'qemu', 201), {type: 'resize', disk: 'scsi0', toBytes: 4 * GIB}],
  'creation of a container': [
    on('pve2', 'lxc', 301),
    {
      type: 'create',
      from: {template: TEMPLATE, storage: 'nas'},
      options: {hostname: 'new', net0, rootfs: 'nas:4'},
      secrets: [],
      marker: [MARKER],
    },
  ],
  'creation of a machine': [
    on('pve2', 'qemu', 302),
    {
      type: 'create',
      from: {empty: true},
      options: {name: 'new', net0: `virtio=${MARKER},bridge=vmbr0`},
      secrets: [],
      marker: [MARKER],
    },
  ],
  'restore to a new container': [
    on('pve2', 'lxc', 303),
    {
      type: 'create',
      from: {restore: BACKUP, storage: 'nas'},
      options: {},
      secrets: [],
      marker: [],
    },
  ],
  'clone of a container': [
    on('pve2', 'lxc', 304),
    {
      type: 'create',
      from: {clone: 104, full: true},
      sourceNode: 'pve1',
      options: {hostname: 'copy'},
      secrets: [],
      marker: [],
    },
  ],
  'clone of a machine': [
    on('pve2', 'qemu', 305),
    {
      type: 'create',
      from: {clone: 201, full: true},
      sourceNode: 'pve2',
      options: {name: 'copy'},
      secrets: [],
      marker: [],
    },
  ],
  'destruction of a container': [on('pve2', 'lxc', 102), {type: 'destroy'}],
  'destruction of a machine': [on('pve2', 'qemu', 201), {type: 'destroy'}],
  'deletion of a snapshot of a container': [
    on('pve2', 'lxc', 105),
    {type: 'snapshot-delete', snapshot: 'before'},
  ],
  'deletion of a snapshot of a machine': [
    on('pve2', 'qemu', 204),
    {type: 'snapshot-delete', snapshot: 'before'},
  ],
  'rollback of a container': [on('pve2', 'lxc', 105), {type: 'snapshot-rollback', snapshot: 'before'}],
  'rollback of a machine': [on('pve2', 'qemu', 204), {type: 'snapshot-rollback', snapshot: 'before'}],
}

const CREATIONS = /^(creation|restore|clone)/
/** They bear no marker: without their task nothing says that what is there is ours. */
const COPIES = /^(restore|clone)/
/** They are never asked for again by felhom itself. */
const LOSSES = /^(destruction|deletion|rollback)/
/** Nothing but their task says that they took place. */
const UNPROVABLE = /^(restore|clone|rollback)/

interface Story {
  readonly title: string
  readonly knows: Knowledge
  /** What happens between the request and recovery. */
  readonly meanwhile: (bench: RecoveryBench, target: GuestAddress) => Promise<void> | void
  readonly ends: (name: string) => OperationState
}

const ended = (bench: RecoveryBench): Promise<void> => bench.clock.advance(30_000)

const STORIES: readonly Story[] = [
  {
    title: 'its UPID is known and its task still runs',
    knows: 'upid',
    meanwhile: () => undefined,
    ends: () => 'succeeded',
  },
  {
    title: 'its UPID is known and its task has ended OK',
    knows: 'upid',
    meanwhile: ended,
    ends: () => 'succeeded',
  },
  {
    title: 'no answer came and its task has ended OK',
    knows: 'no answer',
    meanwhile: ended,
    ends: () => 'succeeded',
  },
  {
    title: 'its task was killed at once',
    knows: 'upid',
    meanwhile: (bench) => {
      bench.cluster.tasks.kill(bench.lastTask().upid)
    },
    ends: (name) => {
      if (LOSSES.test(name)) return 'quarantined'
      // Of a copy of a machine there is nothing yet; of the others a config file under its lock.
      return CREATIONS.test(name) && name !== 'clone of a machine' ? 'quarantined' : 'failed'
    },
  },
  {
    title: 'its task was interrupted and failed',
    knows: 'no answer',
    meanwhile: async (bench) => {
      const task = bench.lastTask()
      await bench.clock.advance(20)
      await bench.clock.run(bench.cluster.tasks.stop(task.upid))
      // Some workers survive the signal, and end without a verdict.
      task.exitstatus = 'received interrupt'
    },
    ends: (name) => {
      // A machine that was told to goes on shutting down; two had done their work before the signal came.
      if (name === 'shutdown of a machine' || name === 'resize of a container') return 'satisfied'
      // What cannot be taken back, and was done though its task says otherwise, is for a person.
      const isDone = name.startsWith('deletion') || name === 'rollback of a machine'
      return isDone || name === 'creation of a machine' ? 'quarantined' : 'failed'
    },
  },
  {
    title: 'Proxmox has lost its task, which had ended OK',
    knows: 'upid',
    meanwhile: async (bench) => {
      await ended(bench)
      bench.lastTask().lost = true
    },
    ends: (name) => (UNPROVABLE.test(name) ? 'quarantined' : 'satisfied'),
  },
  {
    title: 'its request never arrived',
    knows: 'never arrived',
    meanwhile: () => undefined,
    ends: (name) => (LOSSES.test(name) ? 'quarantined' : 'failed'),
  },
  {
    title: 'its node is offline',
    knows: 'upid',
    meanwhile: async (bench) => {
      await ended(bench)
      bench.setOnline('pve2', false)
    },
    ends: () => 'task_running',
  },
  {
    title: 'its node was offline for a while',
    knows: 'no answer',
    meanwhile: async (bench) => {
      await ended(bench)
      bench.setOnline('pve2', false)
      await bench.recoverFully()
      bench.setOnline('pve2', true)
    },
    ends: () => 'succeeded',
  },
  {
    title: 'its guest was made anew by somebody else under the same number',
    knows: 'upid',
    meanwhile: async (bench, {kind, vmid, node}) => {
      await ended(bench)
      if (bench.cluster.guest(vmid)) removeGuest(bench.cluster, vmid)
      const config =
        kind === 'lxc' ? {rootfs: 'local:9/other.raw,size=1G'} : {smbios1: 'uuid=9'.padEnd(41, '9')}
      addGuest(bench.cluster, kind, vmid, node, config)
    },
    ends: (name) => {
      if (LOSSES.test(name)) return 'succeeded'
      // Its task says OK, and nothing says that what is there is another.
      if (COPIES.test(name)) return 'succeeded'
      return CREATIONS.test(name) ? 'quarantined' : 'superseded'
    },
  },
  {
    title: 'its guest is gone',
    knows: 'upid',
    meanwhile: async (bench, {vmid}) => {
      await ended(bench)
      if (bench.cluster.guest(vmid)) removeGuest(bench.cluster, vmid)
    },
    ends: (name) => {
      if (LOSSES.test(name)) return 'succeeded'
      return CREATIONS.test(name) ? 'quarantined' : 'superseded'
    },
  },
]

describe('recover', () => {
  for (const {title, knows, meanwhile, ends} of STORIES) {
    describe(title, () => {
      for (const [name, [target, body]] of Object.entries(OPERATIONS)) {
        it(`${name} → ${ends(name)}`, async () => {
          const bench = new RecoveryBench()
          const op = await bench.interrupt(target, body, knows)
          await meanwhile(bench, target)
          await bench.recoverFully()
          const {state, reason} = bench.operation(op)
          expect(state, reason).to.equal(ends(name))
        })
      }
    })
  }
})
