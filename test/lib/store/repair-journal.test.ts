import {expect} from 'chai'
import {repairJournal, type JournalRepair} from '../../../src/lib/store/repair-journal.ts'
import {verifyJournal} from '../../../src/lib/store/verify-journal.ts'
import {MemoryDisk} from '../../../src/lib/testing/memory-disk.ts'
import {rejection} from '../../support/reject.ts'
import {
  ending,
  JOURNAL,
  journalOptions,
  makeIntent,
  openOn,
  readOperations,
  segmentPath,
  STATE,
} from './journal-fixture.ts'

const repair = (machine: MemoryDisk): Promise<JournalRepair> => repairJournal(journalOptions(machine))
const verify = (machine: MemoryDisk): ReturnType<typeof verifyJournal> =>
  verifyJournal({disk: machine.mount(), dir: STATE})

/** Damages the record of a line, not its hash: `"at"` becomes `"bt"`. */
function damage(machine: MemoryDisk, segment: number, line: number): void {
  const lines = machine.text(segmentPath(segment)).split('\n')
  lines[line - 1] = (lines[line - 1] ?? '').replace('"at"', '"bt"')
  machine.put(segmentPath(segment), Buffer.from(lines.join('\n')))
}

/** Line by line: header, start 1, end 1, start 2 (same guest), start 3, end 3. */
async function write(machine: MemoryDisk): Promise<void> {
  const journal = await openOn(machine)
  await journal.start(makeIntent('r.1', 101, {key: 'k1'}))
  await journal.settle('r.1', ending('succeeded'))
  await journal.start(makeIntent('r.2', 101, {key: 'k2'}))
  await journal.start(makeIntent('r.3', 103, {key: 'k3'}))
  await journal.settle('r.3', ending('failed'))
  await journal.close()
}

describe('a repair', () => {
  it('of a whole journal does nothing', async () => {
    const machine = new MemoryDisk()
    await write(machine)
    const before = machine.files()
    expect(await repair(machine)).to.deep.equal({
      repaired: false,
      problems: [],
      setAside: [],
      salvaged: 0,
      lost: 0,
    })
    expect(machine.files()).to.deep.equal(before)
    expect(await repair(new MemoryDisk())).to.include({repaired: false})
  })

  it('carries over every record whose hash still follows from the line before it', async () => {
    const expected: Record<number, {open: string[]; keys: boolean[]; lost: number; salvaged: number}> = {
      1: {open: ['r.2'], keys: [true, true, true], lost: 1, salvaged: 5},
      2: {open: ['r.2'], keys: [false, true, true], lost: 2, salvaged: 3},
      // The end of r.1 is lost, but r.2 could not have been started before it.
      3: {open: ['r.2'], keys: [true, true, true], lost: 1, salvaged: 3},
      4: {open: [], keys: [true, false, true], lost: 1, salvaged: 2},
      5: {open: ['r.2'], keys: [true, true, false], lost: 2, salvaged: 0},
      6: {open: ['r.2', 'r.3'], keys: [true, true, true], lost: 1, salvaged: 0},
    }
    for (const [line, {open, keys, lost, salvaged}] of Object.entries(expected)) {
      const machine = new MemoryDisk()
      await write(machine)
      damage(machine, 1, Number(line))
      const damaged = machine.bytes(segmentPath(1))
      expect((await rejection(openOn(machine))).code).to.equal('journal_corrupt')
      const report = await repair(machine)
      expect(report, `line ${line}`).to.include({repaired: true, lost, salvaged})
      expect(report.setAside).to.have.length(1)
      expect(machine.bytes(`${JOURNAL}/${report.setAside[0] ?? ''}`)).to.deep.equal(damaged)
      expect((await verify(machine)).problems).to.deep.equal([])
      const journal = await openOn(machine)
      expect(
        journal.openOperations().map(({intent}) => intent.op),
        `line ${line}`,
      ).to.deep.equal(open)
      expect(
        ['k1', 'k2', 'k3'].map((key) => journal.usedKey(key)),
        `line ${line}`,
      ).to.deep.equal(keys)
      expect(journal.disarmed(), `line ${line}`).to.have.length(1)
      expect(journal.disarmed()[0]).to.contain('repaired at 2027-')
      await journal.rearm(journal.disarmed())
      expect(journal.disarmed()).to.deep.equal([])
      await journal.rotate()
      await journal.close()
      expect((await verify(machine)).problems).to.deep.equal([])
    }
  })

  it('of a damaged checkpoint goes by the segments before it', async () => {
    for (const line of [1, 2]) {
      const machine = new MemoryDisk()
      await write(machine)
      const journal = await openOn(machine)
      await journal.rotate()
      await journal.start(makeIntent('r.4', 104))
      await journal.close()
      damage(machine, 2, line)
      await repair(machine)
      const again = await openOn(machine)
      expect(again.openOperations().map(({intent}) => intent.op)).to.deep.equal(['r.2', 'r.4'])
      expect(again.usedKey('k1')).to.equal(true)
      expect((await verify(machine)).problems).to.deep.equal([])
      expect(await readOperations(machine))
        .to.include('r.4 started')
        .and.include('r.1 succeeded')
    }
  })

  it('of an old segment, a missing or a foreign one keeps what the newest knows', async () => {
    const foreign = new MemoryDisk()
    await write(foreign)
    await (await openOn(foreign)).rotate()
    const works: ((machine: MemoryDisk) => void)[] = [
      (machine) => damage(machine, 1, 3),
      (machine) => damage(machine, 2, 2),
      (machine) => machine.drop(segmentPath(2)),
      (machine) => machine.put(segmentPath(2), foreign.bytes(segmentPath(2))),
    ]
    for (const [index, work] of works.entries()) {
      const machine = new MemoryDisk()
      await write(machine)
      const journal = await openOn(machine)
      await journal.rotate()
      await journal.rotate()
      await journal.close()
      machine.put(segmentPath(3), Buffer.concat([machine.bytes(segmentPath(3)), Buffer.from('{"se')]))
      work(machine)
      expect((await verify(machine)).problems, `${index}`).to.not.deep.equal([])
      await repair(machine)
      expect((await verify(machine)).problems, `${index}`).to.deep.equal([])
      const again = await openOn(machine)
      expect(
        again.openOperations().map(({intent}) => intent.op),
        `${index}`,
      ).to.deep.equal(['r.2'])
      expect(again.usedKey('k3'), `${index}`).to.equal(true)
    }
  })

  it('of a journal of which nothing can be trusted begins another, disarmed', async () => {
    const machine = new MemoryDisk()
    machine.put(segmentPath(1), Buffer.from('rubbish\nmore\n'))
    expect(await repair(machine)).to.include({repaired: true, lost: 2})
    const journal = await openOn(machine)
    expect(journal.openOperations()).to.deep.equal([])
    expect(journal.disarmed()).to.have.length(1)
    await journal.start(makeIntent('r.9', 109))
    await journal.close()
    expect((await verify(machine)).problems).to.deep.equal([])
  })

  it('may be cut short at any call and begun again, and never passes for whole in between', async () => {
    const original = new MemoryDisk()
    await write(original)
    damage(original, 1, 3)
    const whole = original.copy()
    await repair(whole)
    for (let index = 0; index < whole.calls; index++) {
      for (const crash of ['before', 'after'] as const) {
        const machine = original.copy({random: () => 0.999})
        machine.onCall = (call) => (call.index === index ? {crash} : undefined)
        await repair(machine).catch(() => undefined)
        machine.onCall = undefined
        const opened = await openOn(machine).catch(() => undefined)
        if (opened) expect(opened.disarmed(), `call ${index}`).to.not.deep.equal([])
        await opened?.close()
        await repair(machine)
        const journal = await openOn(machine)
        expect(
          journal.openOperations().map(({intent}) => intent.op),
          `call ${index}`,
        ).to.deep.equal(['r.2'])
        expect((await verify(machine)).problems, `call ${index}`).to.deep.equal([])
      }
    }
  })
})
