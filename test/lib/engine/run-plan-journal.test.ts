import {expect} from 'chai'
import type {GuestWriter} from '../../../src/lib/engine/ports.ts'
import {createWriter} from '../../../src/lib/pve/write.ts'
import {openJournal, type JournalStore} from '../../../src/lib/store/open-journal.ts'
import {desiredGuest} from '../../support/desired-guest.ts'
import {EngineBench, TOKEN_ID} from '../../support/engine-bench.ts'
import {homelabSeed} from '../../support/homelab-seed.ts'
import {MemoryDisk} from '../../../src/lib/testing/memory-disk.ts'

const GUESTS = [
  desiredGuest(101, {memory: '1024'}, {run: 'stopped'}),
  desiredGuest(102, {memory: '1024'}),
  desiredGuest(150, {rootfs: {size: '10G'}}, {run: 'running'}),
]

/** The engine with the real journal, on a disk that a test can break. */
class Machine {
  readonly bench = new EngineBench({seed: homelabSeed})
  readonly disk = new MemoryDisk()
  /** Operations in the order in which their requests left. */
  readonly dispatched: string[] = []

  open(): Promise<JournalStore> {
    return openJournal({
      disk: this.disk.mount(),
      dir: '/state',
      identity: {endpoint: 'https://pve1:8006', tokenId: TOKEN_ID},
      clock: this.bench.sandbox.clock,
      warn: () => undefined,
    })
  }

  /** What it threw, or nothing. */
  async apply(journal: JournalStore): Promise<string | undefined> {
    const inner = createWriter(this.bench.connection)
    const writer: GuestWriter = {
      dispatch: (intent, secrets) => {
        this.dispatched.push(intent.op)
        return inner.dispatch(intent, secrets)
      },
    }
    try {
      await this.bench.apply(GUESTS, {journal, writer})
      return undefined
    } catch (error) {
      return String(error)
    }
  }
}

describe('the engine on the real journal', () => {
  it('leaves nothing open when all goes well, also for the next who opens it', async () => {
    const machine = new Machine()
    const journal = await machine.open()
    expect(await machine.apply(journal)).to.equal(undefined)
    expect(machine.dispatched).to.have.length(5)
    machine.disk.losePower()
    const again = await machine.open()
    expect(again.openOperations()).to.deep.equal([])
    expect(machine.dispatched.map((op) => again.find(op)?.state)).to.deep.equal(
      machine.dispatched.map(() => 'succeeded'),
    )
  })

  for (const name of ['write', 'datasync'] as const) {
    it(`sends nothing after any ${name} has failed, and knows of all that it sent`, async () => {
      let nth = 0
      for (let hasFailed = true; hasFailed; nth++) {
        const machine = new Machine()
        const journal = await machine.open()
        let calls = 0
        let sentBefore: number | undefined
        machine.disk.onCall = (call) => {
          if (call.name !== name || calls++ !== nth) return undefined
          sentBefore = machine.dispatched.length
          return {error: 'EIO'}
        }
        const error = await machine.apply(journal)
        machine.disk.onCall = undefined
        hasFailed = sentBefore !== undefined
        if (!hasFailed) continue
        expect(error).to.contain('EIO')
        expect(machine.dispatched.length).to.equal(sentBefore)
        machine.disk.losePower()
        const again = await machine.open()
        for (const op of machine.dispatched) expect(again.find(op)?.state).to.be.a('string')
      }
      expect(nth).to.be.above(5)
    })
  }
})
