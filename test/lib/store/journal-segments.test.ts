import {expect} from 'chai'
import fc from 'fast-check'
import type {Ending} from '../../../src/lib/model/operation.ts'
import {sealLine} from '../../../src/lib/store/log/line.ts'
import {repairJournal} from '../../../src/lib/store/repair-journal.ts'
import {readJournal} from '../../../src/lib/store/read-journal.ts'
import {verifyJournal} from '../../../src/lib/store/verify-journal.ts'
import type {JournalStore} from '../../../src/lib/store/open-journal.ts'
import {MemoryDisk} from '../../../src/lib/testing/memory-disk.ts'
import {rejection} from '../../support/reject.ts'
import {
  ending,
  JOURNAL,
  journalOptions,
  knowledgeOf,
  makeIntent,
  openOn,
  readOperations,
  segmentPath,
  START_MS,
  STATE,
  tickingClock,
  upidOf,
} from './journal-fixture.ts'

const verify = async (machine: MemoryDisk): Promise<string[]> => {
  const {problems} = await verifyJournal({disk: machine.mount(), dir: STATE})
  return problems.map(({file, line, message}) => `${file}:${line} ${message}`)
}

/** Five segments, each with an operation that ended in it and one that is open from the first on. */
async function writeSegments(machine: MemoryDisk, count = 5): Promise<JournalStore> {
  const journal = await openOn(machine, {clock: tickingClock()})
  await journal.start(makeIntent('a.0', 100, {key: 'open'}))
  for (let n = 1; n <= count; n++) {
    await journal.start(makeIntent(`a.${n}`, 100 + n, {key: `key ${n}`}))
    await journal.settle(`a.${n}`, ending('succeeded'))
    if (n < count) await journal.rotate()
  }
  return journal
}

describe('a new segment', () => {
  it('begins when the old one has grown, with all that is known in its first two lines', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine, {segmentBytes: 4096})
    await journal.start(makeIntent('a.0', 100, {key: 'open'}))
    for (let n = 1; n <= 40; n++) {
      await journal.start(makeIntent(`a.${n}`, 100 + n))
      await journal.settle(`a.${n}`, ending('succeeded'))
    }
    const names = machine.names(JOURNAL)
    expect(names.length).to.be.within(3, 6)
    for (const name of names.slice(0, -1))
      expect(machine.bytes(`${JOURNAL}/${name}`).length).to.be.within(4096, 5200)
    const [header, checkpoint] = machine
      .text(segmentPath(2))
      .split('\n')
      .slice(0, 2)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const ended = machine.text(segmentPath(1)).trimEnd().split('\n').at(-1)
    expect(header).to.include({type: 'header', segment: 2, prev: (JSON.parse(ended ?? '') as {h: string}).h})
    expect(checkpoint).to.include({type: 'checkpoint'}).and.have.property('keys').that.deep.equals(['open'])
    expect(await verify(machine)).to.deep.equal([])
    expect(await readOperations(machine)).to.have.length(41)
  })

  it('is not begun again and again when its checkpoint alone is larger than a segment', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine, {segmentBytes: 1000})
    for (let n = 0; n < 40; n++) await journal.start(makeIntent(`a.${n}`, 100 + n))
    expect(machine.names(JOURNAL).length).to.be.lessThan(8)
    const {length} = machine.names(JOURNAL)
    await journal.close()
    const again = await openOn(machine, {segmentBytes: 1000})
    await again.start(makeIntent('b.1', 500))
    await again.start(makeIntent('b.2', 501))
    expect(machine.names(JOURNAL).length).to.be.at.most(length + 1)
  })

  it('is the only one that is read at a start', async () => {
    const machine = new MemoryDisk()
    await (await writeSegments(machine)).close()
    const opened: string[] = []
    machine.onCall = ({name, path}) => {
      if (name === 'read') opened.push(path)
      return undefined
    }
    const journal = await openOn(machine)
    expect(journal.openOperations()).to.have.length(1)
    // Of the one before it only the last hash.
    expect([...new Set(opened)]).to.deep.equal([segmentPath(5), segmentPath(4)])
    expect(opened.filter((path) => path === segmentPath(4))).to.have.length(1)
  })

  it('of another log, of another number, out of the chain, or behind a gap is loud', async () => {
    const machine = new MemoryDisk()
    await (await writeSegments(machine, 3)).close()
    const other = new MemoryDisk()
    await (await writeSegments(other, 3)).close()
    const damage: Record<string, (copy: MemoryDisk) => void> = {
      'another hash': (copy) => copy.put(segmentPath(3), other.bytes(segmentPath(3))),
      'not 3': (copy) => copy.put(segmentPath(3), other.bytes(segmentPath(2))),
      'the file is missing': (copy) => copy.drop(segmentPath(2)),
      'not 4': (copy) => copy.put(segmentPath(4), copy.bytes(segmentPath(3))),
      'file is empty': (copy) => copy.put(segmentPath(4), Buffer.alloc(0)),
    }
    for (const [message, work] of Object.entries(damage)) {
      const copy = machine.copy()
      work(copy)
      const error = await rejection(openOn(copy))
      expect(error.code, message).to.equal('journal_corrupt')
      expect(error.message).to.contain(message)
      expect((await verify(copy)).join('\n')).to.contain(message === 'another hash' ? 'another log' : message)
    }
  })

  it('of a format or with a record that is not known is loud, and nothing that a repair would touch', async () => {
    const machine = new MemoryDisk()
    await (await openOn(machine)).close()
    const text = machine.text(segmentPath(1))
    const {seq, h, ...header} = JSON.parse(text) as Record<string, unknown> & {seq: number; h: string}
    const newer = {
      'format 2 is not known': sealLine('0'.repeat(32), seq, JSON.stringify({...header, format: 2})).text,
      'type paused are not known': text + sealLine(h, seq + 1, '{"type":"paused","at":1}').text,
    }
    for (const [message, lines] of Object.entries(newer)) {
      machine.put(segmentPath(1), Buffer.from(lines))
      const error = await rejection(openOn(machine))
      expect(error).to.include({code: 'journal_corrupt', hint: 'A newer felhom wrote it: use that one.'})
      expect(error.message).to.contain(message)
      expect((await rejection(repairJournal(journalOptions(machine)))).message).to.contain(message)
      expect(machine.text(segmentPath(1))).to.equal(lines)
    }
    const impossible =
      text + sealLine(h, seq + 1, '{"type":"failed","at":1,"op":"a.1","by":"engine","reason":""}').text
    machine.put(segmentPath(1), Buffer.from(impossible))
    expect((await rejection(openOn(machine))).message)
      .to.contain('line 2')
      .and.contain('never started')
  })

  it('whose checkpoint is not what the one before adds up to is found by a verification', async () => {
    const machine = new MemoryDisk()
    await (await writeSegments(machine, 2)).close()
    const [header = '', checkpoint = ''] = machine.text(segmentPath(2)).split('\n')
    const {h} = JSON.parse(header) as {h: string}
    const known = JSON.parse(checkpoint) as Record<string, unknown> & {seq: number}
    const forged = sealLine(
      h,
      known.seq,
      JSON.stringify({...known, h: undefined, seq: undefined, keys: []}),
    ).text
    machine.put(segmentPath(2), Buffer.from(`${header}\n${forged}`))
    expect(await verify(machine)).to.deep.equal([
      '00000002.log:1 its checkpoint is not what 00000001.log adds up to',
    ])
  })
})

describe('compaction', () => {
  it('removes what ended long enough ago, the oldest first, and never the newest', async () => {
    const machine = new MemoryDisk()
    const journal = await writeSegments(machine)
    const clock = {now: () => START_MS + 1_000_000}
    await journal.close()
    const again = await openOn(machine, {clock})
    const third = JSON.parse(machine.text(segmentPath(3)).split('\n')[0] ?? '') as {at: number}
    expect(await again.compact({olderThanMs: clock.now() - third.at - 1})).to.deep.equal({
      removed: ['00000001.log', '00000002.log'],
      kept: ['00000003.log', '00000004.log', '00000005.log'],
    })
    expect(await verify(machine)).to.deep.equal([])
    expect((await again.compact({olderThanMs: 0})).kept).to.deep.equal(['00000005.log'])
    expect(again.openOperations()).to.have.length(1)
    await again.compact({olderThanMs: -1, rotate: true})
    expect(machine.names(JOURNAL)).to.deep.equal(['00000006.log'])
    expect(await verify(machine)).to.deep.equal([])
    expect(await readOperations(machine)).to.deep.equal(['a.0 started'])
  })

  it('may be cut short by a crash at any call, and nothing that matters is lost', async () => {
    const original = new MemoryDisk()
    await (await writeSegments(original)).close()
    const run = async (machine: MemoryDisk): Promise<void> => {
      const journal = await openOn(machine)
      await journal.compact({olderThanMs: -10_000, rotate: true})
    }
    const whole = original.copy()
    await run(whole)
    for (let index = 0; index < whole.calls; index++) {
      for (const crash of ['before', 'after'] as const) {
        for (const survive of [0, 0.5, 0.999]) {
          const machine = original.copy({random: () => survive})
          machine.onCall = (call) => (call.index === index ? {crash} : undefined)
          await run(machine).catch(() => undefined)
          machine.onCall = undefined
          expect(await verify(machine), `call ${index}`).to.deep.equal([])
          const journal = await openOn(machine)
          expect(journal.openOperations(), `call ${index}`).to.have.length(1)
          for (const key of ['open', 'key 1', 'key 5'])
            expect(journal.usedKey(key), `call ${index}`).to.equal(true)
          expect(machine.names(JOURNAL).filter((name) => name.endsWith('.tmp'))).to.deep.equal([])
          await journal.close()
        }
      }
    }
  })
})

type Step =
  | {readonly do: 'start'; readonly vmid: number; readonly key: number | undefined}
  | {readonly do: 'task' | 'settle' | 'absence'; readonly pick: number; readonly state: Ending['state']}
  | {readonly do: 'disarm' | 'rearm'; readonly pick: number}
  | {readonly do: 'rotate' | 'reopen' | 'compact'}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('start' as const),
      vmid: fc.integer({min: 100, max: 104}),
      key: fc.option(fc.integer({min: 1, max: 3}), {nil: undefined}),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('task' as const, 'settle' as const, 'absence' as const),
      pick: fc.nat(9),
      state: fc.constantFrom(
        'succeeded' as const,
        'failed' as const,
        'quarantined' as const,
        'abandoned' as const,
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('disarm' as const, 'rearm' as const),
      pick: fc.integer({min: 1, max: 8}),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({do: fc.constantFrom('rotate' as const, 'reopen' as const, 'compact' as const)}),
  },
)

describe('any history', () => {
  /** Refusals are part of it: they must be the same. */
  async function play(steps: readonly Step[], withSegments: boolean): Promise<unknown> {
    const machine = new MemoryDisk()
    const clock = {now: () => nowMs}
    let nowMs = START_MS
    let journal = await openOn(machine, {clock})
    const log: unknown[] = []
    for (const [index, one] of steps.entries()) {
      nowMs++
      const open = journal.openOperations()
      const picked = 'pick' in one ? (open[one.pick % Math.max(1, open.length)]?.intent.op ?? 'r.none') : ''
      const work = async (): Promise<void> => {
        switch (one.do) {
          case 'start':
            await journal.start(
              makeIntent(`r.${index}`, one.vmid, one.key === undefined ? {} : {key: `nonce-${one.key}`}),
            )
            break
          case 'task':
            await journal.taskRunning(picked, upidOf((index % 8) + 1))
            break
          case 'settle':
            await journal.settle(picked, ending(one.state, {by: 'recover'}))
            break
          case 'absence':
            await journal.noteAbsence(picked, index % 2 === 0 ? index : undefined)
            break
          case 'disarm':
          case 'rearm':
            await journal[one.do]([upidOf(one.pick)])
            break
          default:
            if (!withSegments) return
            if (one.do === 'rotate') await journal.rotate()
            if (one.do === 'compact') await journal.compact({olderThanMs: -1, rotate: true})
            if (one.do === 'reopen') {
              machine.losePower()
              journal = await openOn(machine, {clock})
            }
        }
      }
      await work().catch((error: unknown) => log.push(`${index} ${(error as {code: string}).code}`))
      log.push(knowledgeOf(journal))
    }
    await journal.close()
    expect(await verify(machine)).to.deep.equal([])
    const view = await readJournal({disk: machine.mount(), dir: STATE})
    expect(view.openOperations()).to.deep.equal(journal.openOperations())
    return log
  }

  it('adds up to the same, with and without segments, restarts and compaction', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, {minLength: 5, maxLength: 60}), async (steps) => {
        expect(await play(steps, true)).to.deep.equal(await play(steps, false))
      }),
      {numRuns: 300},
    )
  })
})
