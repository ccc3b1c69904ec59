import {expect} from 'chai'
import {readJournal, type JournalView} from '../../../src/lib/store/read-journal.ts'
import {verifyJournal} from '../../../src/lib/store/verify-journal.ts'
import {MemoryDisk} from '../../../src/lib/testing/memory-disk.ts'
import {rejection} from '../../support/reject.ts'
import {ending, IDENTITY, JOURNAL, makeIntent, openOn, segmentPath, STATE, upidOf} from './journal-fixture.ts'

const read = (machine: MemoryDisk): Promise<JournalView> => readJournal({disk: machine.mount(), dir: STATE})

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('a look at the journal', () => {
  it('finds nothing where there is none', async () => {
    const view = await read(new MemoryDisk())
    expect(view.identity).to.equal(undefined)
    expect(view.openOperations()).to.deep.equal([])
    expect(await collect(view.operations())).to.deep.equal([])
    expect(await verifyJournal({disk: new MemoryDisk().mount(), dir: STATE})).to.deep.equal({
      segments: [],
      records: 0,
      bytes: 0,
      open: 0,
      problems: [],
    })
  })

  it('shows what is known, each operation of the history once, and its records', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    await journal.start(makeIntent('a.1', 101))
    await journal.start(makeIntent('a.2', 102))
    await journal.settle('a.2', ending('failed', {reason: 'because'}))
    await journal.rotate()
    await journal.taskRunning('a.1', upidOf(1))
    await journal.start(makeIntent('b.1', 102))
    await journal.settle('a.1', ending('succeeded'))
    const view = await read(machine)
    expect(view.identity).to.deep.equal(IDENTITY)
    expect(view.lastRun()).to.equal('b')
    expect(view.knowsTask(upidOf(1))).to.equal(true)
    expect(view.openOperations()).to.deep.equal(journal.openOperations())
    const names = (found: readonly {intent: {op: string}; state: string}[]): string[] =>
      found.map(({intent, state}) => `${intent.op} ${state}`)
    expect(names(await collect(view.operations()))).to.deep.equal([
      'a.2 failed',
      'a.1 succeeded',
      'b.1 started',
    ])
    expect(names(await collect(view.operations({run: 'a'})))).to.deep.equal(['a.2 failed', 'a.1 succeeded'])
    expect(names(await collect(view.operations({vmid: 102})))).to.deep.equal(['a.2 failed', 'b.1 started'])
    expect(await view.findOperation('a.2')).to.include({state: 'failed', reason: 'because'})
    expect(await view.findOperation('x')).to.equal(undefined)
    const records = await collect(view.records({op: 'a.1'}))
    expect(records.map(({seq, type}) => [seq, type])).to.deep.equal([
      [2, 'started'],
      [7, 'task_running'],
      [9, 'succeeded'],
    ])
    expect(await collect(view.records())).to.have.length(6)
  })

  it('changes nothing, and passes over a record that is being written', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    await journal.start(makeIntent('a.1', 101))
    const whole = machine.bytes(segmentPath(1))
    machine.put(segmentPath(1), Buffer.concat([whole, Buffer.from('{"seq":3,"at"')]))
    const before = machine.files()
    const writes: string[] = []
    machine.onCall = ({name}) => {
      if (!['list', 'open', 'read', 'size', 'close'].includes(name)) writes.push(name)
      return undefined
    }
    const view = await read(machine)
    expect(view.openOperations()).to.have.length(1)
    expect(await collect(view.operations())).to.have.length(1)
    expect(await verifyJournal({disk: machine.mount(), dir: STATE})).to.deep.include({
      problems: [],
      torn: {file: '00000001.log', offset: whole.length, bytes: 13},
    })
    expect(writes).to.deep.equal([])
    expect(machine.files()).to.deep.equal(before)
  })

  it('goes on when a segment is removed while it reads', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    for (const n of [1, 2, 3]) {
      await journal.start(makeIntent(`a.${n}`, 100 + n))
      await journal.rotate()
    }
    const view = await read(machine)
    machine.onCall = ({name, path}) => {
      if (name === 'open' && path === segmentPath(1)) for (const n of [1, 2]) machine.drop(segmentPath(n))
      return undefined
    }
    expect(await collect(view.operations())).to.have.length(3)
  })

  it('is refused where the history is damaged, and a verification tells every place', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    for (const n of [1, 2, 3]) {
      await journal.start(makeIntent(`a.${n}`, 100 + n))
      await journal.rotate()
    }
    await journal.close()
    for (const n of [1, 3]) {
      const bytes = machine.bytes(segmentPath(n))
      bytes[bytes.length - 60] = 0x5a
      machine.put(segmentPath(n), bytes)
    }
    const view = await read(machine)
    expect((await rejection(collect(view.operations()))).message).to.contain('00000001.log, line 2')
    const {problems, segments, open} = await verifyJournal({disk: machine.mount(), dir: STATE})
    expect(problems.map(({file, line}) => `${file}:${line}`)).to.deep.equal([
      '00000001.log:2',
      '00000003.log:3',
    ])
    expect(segments).to.deep.equal(machine.names(JOURNAL))
    expect(open).to.equal(3)
  })
})
