import {expect} from 'chai'
import {openJournal, type JournalStore} from '../../../../src/lib/store/open-journal.ts'
import {ProcessLife} from '../../../simulation/process-life.ts'
import {Random} from '../../../simulation/random.ts'
import {healthyDisk, SimDisk} from '../../../simulation/sim-disk.ts'
import {rejection} from '../../../support/reject.ts'
import {MemoryDisk} from '../../../../src/lib/testing/memory-disk.ts'
import {ending, IDENTITY, makeIntent, openOn, segmentPath, STATE, tickingClock} from '../journal-fixture.ts'

describe('a record that could not be synced', () => {
  it('is taken back, for the next to open the log would find it in the cache and trust it', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    await journal.start(makeIntent('r.1', 101))
    const before = machine.bytes(segmentPath(1))
    machine.onCall = ({name}) => (name === 'datasync' ? {error: 'EIO'} : undefined)
    expect(await rejection(journal.start(makeIntent('r.2', 102)))).to.have.property('code', 'journal_failed')
    expect(machine.bytes(segmentPath(1)).equals(before)).to.equal(true)
    machine.kill()
    machine.onCall = undefined
    const again = await openOn(machine)
    expect(again.openOperations().map(({intent}) => intent.op)).to.deep.equal(['r.1'])
  })

  it('and could not be taken back leaves no hole behind, whatever is built on it', async () => {
    const disk = new SimDisk(() => Promise.resolve())
    const open = (life: ProcessLife): Promise<JournalStore> =>
      openJournal({
        disk: disk.forProcess(life),
        dir: STATE,
        identity: IDENTITY,
        clock: tickingClock(),
        warn: () => undefined,
      })
    const first = new ProcessLife(1, (moment, step) => moment === 'before' && step === 'truncate')
    const journal = await open(first)
    disk.faults = {...healthyDisk, onSync: () => 'EIO'}
    void journal.start(makeIntent('r.1', 101))
    await first.died
    disk.faults = healthyDisk
    const second = await open(new ProcessLife(2))
    expect(second.openOperations().map(({intent}) => intent.op)).to.deep.equal(['r.1'])
    await second.settle('r.1', ending('failed'))
    disk.losePower(new Random(1))
    const third = await open(new ProcessLife(3))
    expect(third.find('r.1')?.state).to.equal('failed')
  })
})

describe('a record whose newline was never written', () => {
  it('is there, also when the size of the file has room for it', async () => {
    for (const room of [0, 1, 700]) {
      const machine = new MemoryDisk()
      const journal = await openOn(machine)
      await journal.start(makeIntent('r.1', 101))
      await journal.close()
      const whole = machine.bytes(segmentPath(1))
      machine.put(segmentPath(1), Buffer.concat([whole.subarray(0, -1), Buffer.alloc(room)]))
      const again = await openOn(machine)
      expect(again.openOperations().map(({intent}) => intent.op)).to.deep.equal(['r.1'])
      expect(machine.bytes(segmentPath(1)).equals(whole)).to.equal(true)
    }
  })
})
