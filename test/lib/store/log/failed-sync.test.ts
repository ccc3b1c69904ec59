import {expect} from 'chai'
import {rejection} from '../../../support/reject.ts'
import {MemoryDisk} from '../../../support/memory-disk.ts'
import {makeIntent, openOn, segmentPath} from '../journal-fixture.ts'

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
})
