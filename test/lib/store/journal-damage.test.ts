import {expect} from 'chai'
import type {JournalStore} from '../../../src/lib/store/open-journal.ts'
import {MemoryDisk} from '../../../src/lib/testing/memory-disk.ts'
import {rejection} from '../../support/reject.ts'
import {describeDamage, type OpenSubject} from './log/damage-suite.ts'
import {JOURNAL, knowledgeOf, makeIntent, openOn, segmentPath, writeEveryKind} from './journal-fixture.ts'

const subjectOf = (journal: JournalStore): OpenSubject => ({
  known: () => knowledgeOf(journal),
  close: () => journal.close(),
})

describeDamage({
  name: 'a journal',
  dir: JOURNAL,
  place: '',
  open: async (machine, warnings = []) => subjectOf(await openOn(machine, {warnings})),
  write: async (machine, segment, onRecord) => {
    const journal = await openOn(machine)
    if (segment === 2) {
      await journal.start(makeIntent('r.0', 100, {key: 'nonce-2'}))
      await journal.rotate()
    }
    onRecord(subjectOf(journal))
    await writeEveryKind(journal, () => onRecord(subjectOf(journal)))
    await journal.close()
  },
})

describe('the end of a journal', () => {
  const longReason = 'x'.repeat(2000)
  /** The last record is longer than three sectors. */
  async function writeLong(): Promise<{machine: MemoryDisk; start: number; bytes: Buffer}> {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    await journal.start(makeIntent('r.1', 101))
    const start = machine.bytes(segmentPath(1)).length
    await journal.start(makeIntent('r.2', 102, {name: longReason}))
    await journal.close()
    return {machine, start, bytes: machine.bytes(segmentPath(1))}
  }
  const openWith = (machine: MemoryDisk, bytes: Buffer): ReturnType<typeof openOn> => {
    machine.put(segmentPath(1), bytes)
    return openOn(machine)
  }
  const sectorIn = (start: number): number => Math.ceil(start / 512) * 512

  it('is torn when a whole sector of the last line was never written, newline or not', async () => {
    for (const end of ['newline', 'zeros', 'part of a sector']) {
      const {machine, start, bytes} = await writeLong()
      const zeroed = Buffer.from(bytes)
      const sector = sectorIn(start)
      if (end === 'newline') zeroed.fill(0, sector, sector + 512)
      else zeroed.fill(0, end === 'zeros' ? sector : sectorIn(bytes.length) - 512)
      const journal = await openWith(machine, zeroed)
      expect(
        journal.openOperations().map(({intent}) => intent.op),
        end,
      ).to.deep.equal(['r.1'])
    }
  })

  it('is damaged when only part of a sector is zero, or the sector is not of the last line', async () => {
    const {machine, start, bytes} = await writeLong()
    const part = Buffer.from(bytes)
    part.fill(0, sectorIn(start), sectorIn(start) + 511)
    expect(await rejection(openWith(machine, part))).to.have.property('code', 'journal_corrupt')
    const journal = await openWith(machine, bytes)
    await journal.settle('r.1', {state: 'failed', by: 'engine', reason: ''})
    await journal.close()
    const middle = machine.bytes(segmentPath(1))
    middle.fill(0, sectorIn(start), sectorIn(start) + 512)
    expect(await rejection(openWith(machine, middle))).to.have.property('code', 'journal_corrupt')
  })

  it('that is no beginning of a record is damaged, not torn', async () => {
    for (const tail of ['x', '{"seq":9', '{"seq":4,"a":1}', '{"seq":4,"a":\u0001', '[', '\n', '}', ' ']) {
      const {machine, bytes} = await writeLong()
      const error = await rejection(openWith(machine, Buffer.concat([bytes, Buffer.from(tail)])))
      expect(error, tail).to.have.property('code', 'journal_corrupt')
    }
    const {machine, bytes} = await writeLong()
    await openWith(machine, Buffer.concat([bytes, Buffer.from('{"seq":4,"a":"}')]))
  })

  it('is told with the file, the line, the byte, and what to do', async () => {
    const {machine, start, bytes} = await writeLong()
    bytes[start + 20] = 0x41
    const error = await rejection(openWith(machine, bytes))
    expect(error.message).to.equal(`00000001.log, line 3 (byte ${start}): its hash is wrong`)
    expect(error.hint).to.contain('felhom journal verify --repair')
  })
})
