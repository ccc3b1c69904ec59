import {expect} from 'chai'
import type {GuestAddress} from '../../../src/lib/model/guest.ts'
import type {OperationBody, OperationState} from '../../../src/lib/model/operation.ts'
import {openJournal, type JournalStore} from '../../../src/lib/store/open-journal.ts'
import {MemoryDisk} from '../../../src/lib/testing/memory-disk.ts'
import {MARKER, RecoveryBench, TEMPLATE, TOKEN, type Knowledge} from '../../support/recovery-bench.ts'

const LEFT_OPEN: readonly (readonly [GuestAddress, OperationBody, Knowledge])[] = [
  [{kind: 'lxc', vmid: 102, node: 'pve2'}, {type: 'start'}, 'no answer'],
  [
    {kind: 'lxc', vmid: 301, node: 'pve2'},
    {
      type: 'create',
      from: {template: TEMPLATE, storage: 'nas'},
      options: {net0: `name=eth0,bridge=vmbr0,hwaddr=${MARKER}`, rootfs: 'nas:4'},
      secrets: [],
      marker: [MARKER],
    },
    'never arrived',
  ],
  [{kind: 'qemu', vmid: 201, node: 'pve2'}, {type: 'destroy'}, 'never arrived'],
  [
    {kind: 'lxc', vmid: 101, node: 'pve2'},
    {type: 'set-config', set: {hostname: 'new'}, delete: []},
    'no answer',
  ],
]

/** A cluster, and a machine whose journal holds what a crash has left open there. */
class Interrupted {
  readonly bench = new RecoveryBench()
  readonly machine = new MemoryDisk()

  static async make(): Promise<Interrupted> {
    const made = new Interrupted()
    const journal = await made.open()
    for (const [target, body, knows] of LEFT_OPEN) {
      const op = await made.bench.interrupt(target, body, knows)
      await journal.start(made.bench.operation(op).intent)
    }
    await journal.close()
    return made
  }

  open(): Promise<JournalStore> {
    return openJournal({
      disk: this.machine.mount(),
      dir: '/state',
      identity: {endpoint: 'https://pve1:8006', tokenId: TOKEN},
      clock: this.bench.clock,
      warn: () => undefined,
    })
  }

  /** Recovers in as many runs as it takes, each in a process of its own. */
  async recoverFully(): Promise<OperationState[]> {
    for (let i = 0; i < 10; i++) {
      const journal = await this.open()
      const {lookAgainMs} = await this.bench.recover({journal})
      const states = this.#states(journal)
      await journal.close()
      if (lookAgainMs === undefined) return states
      await this.bench.clock.advance(Math.max(0, lookAgainMs - this.bench.clock.now()))
    }
    throw new Error('it does not come to an end')
  }

  #states(journal: JournalStore): OperationState[] {
    const ops = [...this.bench.journal.operations.keys()]
    return ops.flatMap((op) => journal.find(op)?.state ?? [])
  }
}

const SETTLED: OperationState[] = ['succeeded', 'failed', 'quarantined', 'satisfied']

describe('recover with the journal on a disk', () => {
  it('remembers across restarts what it has seen', async () => {
    const interrupted = await Interrupted.make()
    expect(await interrupted.recoverFully()).to.deep.equal(SETTLED)
  })

  it('converges though the power fails at any call of the disk, before or after it takes effect', async () => {
    const whole = await Interrupted.make()
    const first = whole.machine.calls
    await whole.recoverFully()
    const last = whole.machine.calls
    expect(last - first).to.be.greaterThan(10)
    let crashes = 0
    for (let index = first; index < last; index++) {
      for (const crash of ['before', 'after'] as const) {
        const interrupted = await Interrupted.make()
        interrupted.machine.onCall = (call) => (call.index === index ? {crash} : undefined)
        await interrupted.recoverFully().catch(() => crashes++)
        interrupted.machine.onCall = undefined
        expect(await interrupted.recoverFully()).to.deep.equal(SETTLED)
      }
    }
    expect(crashes).to.be.greaterThan(last - first)
  })
})
