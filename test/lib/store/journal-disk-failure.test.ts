import {expect} from 'chai'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'
import type {JournalStore} from '../../../src/lib/store/open-journal.ts'
import {MemoryDisk, type DiskCall, type DiskFault} from '../../../src/lib/testing/memory-disk.ts'
import {rejection} from '../../support/reject.ts'
import {ending, makeIntent, openOn, readOperations, segmentPath} from './journal-fixture.ts'

/** A small pseudo-random sequence, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = (seed * 2654435761 + 12345) >>> 0
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 13), 3266489917) >>> 0
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
}

/** What the callers were told: operations whose start resolved, and which of them were settled. */
interface Told {
  readonly started: Set<string>
  readonly settled: Set<string>
  /** Asked for; whether it is on disk is not known. */
  readonly asked: Set<string>
  readonly failures: unknown[]
}

/** Three lanes at once, each with operations one after the other; and a rotation and a compaction in between. */
async function work(journal: JournalStore, told: Told, prefix: string): Promise<void> {
  const lane = async (vmid: number): Promise<void> => {
    for (let number = 1; number <= 3; number++) {
      const op = `${prefix}-${vmid}.${number}`
      told.asked.add(op)
      await journal.start(makeIntent(op, vmid, {key: `key ${op}`}))
      told.started.add(op)
      if (vmid === 100 && number === 2) await journal.rotate()
      if (vmid === 100 && number === 3) await journal.compact({olderThanMs: -1000})
      // The last one of a lane stays open.
      if (number === 3) return
      await journal.settle(op, ending('succeeded'))
      told.settled.add(op)
    }
  }
  const ends = await Promise.allSettled([100, 101, 102].map(lane))
  told.failures.push(...ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : [])))
}

const nothingTold = (): Told => ({started: new Set(), settled: new Set(), asked: new Set(), failures: []})

/** How many disk calls there are to go wrong. */
async function countCalls(): Promise<number> {
  const machine = new MemoryDisk()
  await work(await openOn(machine), nothingTold(), 'a')
  return machine.calls
}

/** Every record that somebody was told to be there is there, and nothing that nobody asked for. */
function expectToHold(journal: JournalStore, told: Told, place: string): void {
  const open = new Set(journal.openOperations().map(({intent}) => intent.op))
  for (const op of told.started) {
    expect(journal.usedKey(`key ${op}`), `${place}: the key of ${op}`).to.equal(true)
    if (!told.settled.has(op)) continue
    expect(open.has(op), `${place}: ${op} was settled`).to.equal(false)
  }
  for (const op of open) expect(told.asked.has(op), `${place}: ${op} is open`).to.equal(true)
}

/** Open operations that must be there: started, and nobody has asked for more. */
function expectOpen(journal: JournalStore, told: Told, place: string): void {
  const open = journal.openOperations().map(({intent}) => intent.op)
  for (const op of told.started) if (op.endsWith('.3')) expect(open, place).to.include(op)
}

describe('a journal on a disk that fails', () => {
  let calls: number
  before(async () => {
    calls = await countCalls()
  })

  const faults: Record<string, (call: DiskCall) => DiskFault | undefined> = {
    ENOSPC: () => ({error: 'ENOSPC'}),
    'ENOSPC after some bytes': () => ({error: 'ENOSPC', afterBytes: 37}),
    EIO: () => ({error: 'EIO'}),
  }
  for (const [name, fault] of Object.entries(faults)) {
    it(`with ${name} at any one call tells no lie, before and after a power loss`, async () => {
      for (let index = 0; index < calls; index++) {
        const machine = new MemoryDisk({random: seeded(index)})
        machine.onCall = (call) => (call.index === index ? fault(call) : undefined)
        const told = nothingTold()
        try {
          await work(await openOn(machine), told, 'a')
        } catch (error) {
          told.failures.push(error)
        }
        for (const failure of told.failures)
          expect(failure, `call ${index}`)
            .to.be.instanceOf(FelhomError)
            .with.property('code', 'journal_failed')
        machine.losePower()
        const journal = await openOn(machine)
        expectToHold(journal, told, `call ${index}`)
        expectOpen(journal, told, `call ${index}`)
      }
    })
  }

  it('that stays full takes nothing, and nothing of what it did not take is found', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    await journal.start(makeIntent('a.1', 100))
    const bytes = machine.bytes(segmentPath(1))
    machine.onCall = ({name}) => (name === 'write' ? {error: 'ENOSPC', afterBytes: 100} : undefined)
    for (const op of ['a.2', 'a.3']) {
      const error = await rejection(journal.start(makeIntent(op, 101, {key: op})))
      expect(error).to.have.property('code', 'journal_failed')
      expect(machine.bytes(segmentPath(1))).to.deep.equal(bytes)
    }
    machine.onCall = undefined
    await journal.start(makeIntent('a.4', 101, {key: 'a.3'}))
    await journal.close()
    expect(await readOperations(machine)).to.deep.equal(['a.1 started', 'a.4 started'])
  })

  it('takes nothing more after one failed sync, though the disk be well again', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    machine.onCall = ({name}) => (name === 'datasync' ? {error: 'EIO'} : undefined)
    const both = ['a.1', 'a.2'].map((op, n) => rejection(journal.start(makeIntent(op, 100 + n))))
    for (const error of await Promise.all(both)) expect(error).to.have.property('code', 'journal_failed')
    machine.onCall = undefined
    const written = machine.calls
    for (const refused of [
      journal.start(makeIntent('a.3', 103)),
      journal.disarm(['x']),
      journal.rotate(),
      journal.compact({olderThanMs: 0}),
    ]) {
      const error = await rejection(refused)
      expect(error).to.have.property('code', 'journal_failed')
      expect(error.message).to.contain('nothing more is recorded since syncing 00000001.log failed')
    }
    expect(machine.calls).to.equal(written)
    expect(journal.openOperations()).to.deep.equal([])
    await journal.close()
  })

  it('leaves nothing in the cache after a failed sync that the next one would trust', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    await journal.start(makeIntent('a.1', 100))
    const bytes = machine.bytes(segmentPath(1))
    machine.onCall = ({name}) => (name === 'datasync' ? {error: 'EIO'} : undefined)
    await rejection(journal.start(makeIntent('a.2', 101)))
    await journal.close()
    expect(machine.bytes(segmentPath(1))).to.deep.equal(bytes)
    machine.onCall = undefined
    const second = await openOn(machine)
    await second.start(makeIntent('a.3', 102))
    machine.losePower()
    const open = (await openOn(machine)).openOperations().map(({intent}) => intent.op)
    expect(open).to.deep.equal(['a.1', 'a.3'])
  })

  it('takes nothing more when a failed write could not be taken back', async () => {
    for (const second of ['truncate', 'datasync'] as const) {
      const machine = new MemoryDisk()
      const journal = await openOn(machine)
      machine.onCall = ({name}) =>
        name === 'write' || name === second ? {error: 'EIO', afterBytes: 9} : undefined
      expect(await rejection(journal.start(makeIntent('a.1', 100)))).to.have.property(
        'code',
        'journal_failed',
      )
      machine.onCall = undefined
      const error = await rejection(journal.start(makeIntent('a.2', 100)))
      expect(error.message).to.contain('taking back a failed write')
    }
  })

  it('goes on in the old segment when no new one can be begun, and says so', async () => {
    const warnings: string[] = []
    const machine = new MemoryDisk()
    const journal = await openOn(machine, {segmentBytes: 400, warnings})
    await journal.start(makeIntent('a.1', 100, {name: 'x'.repeat(400)}))
    machine.onCall = ({name, path}) =>
      name === 'write' && path.endsWith('2.log.tmp') ? {error: 'ENOSPC'} : undefined
    await journal.start(makeIntent('a.2', 101))
    expect(warnings).to.have.length(1)
    await journal.start(makeIntent('a.3', 102))
    expect(warnings).to.have.length(1)
    expect(machine.names('/state/journal')).to.deep.equal(['00000001.log'])
    await journal.close()
  })

  it('that writes only a few bytes at a time gets all of them', async () => {
    const machine = new MemoryDisk()
    machine.onCall = ({name, index}) => (name === 'write' ? {shortBytes: 1 + (index % 7)} : undefined)
    const told = nothingTold()
    await work(await openOn(machine), told, 'a')
    expect(told.failures).to.deep.equal([])
    expectOpen(await openOn(machine), told, 'short writes')
  })

  it('that takes no bytes at all is a failed one, not one to be asked for ever', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    machine.onCall = ({name}) => (name === 'write' ? {shortBytes: 0} : undefined)
    expect(await rejection(journal.start(makeIntent('a.1', 100)))).to.have.property('code', 'journal_failed')
  })
})

describe('a journal whose machine dies', () => {
  let calls: number
  before(async () => {
    calls = await countCalls()
  })

  it('at any call, by power or by kill, holds all that was told, and again when it dies while it is opened', async () => {
    for (let index = 0; index < calls; index++) {
      for (const [variant, crash] of (['before', 'after', 'before', 'after'] as const).entries()) {
        const place = `call ${index}, ${crash}, ${variant}`
        const random = seeded(index * 7 + variant)
        const machine = new MemoryDisk({random})
        machine.onCall = (call) => (call.index === index ? {crash} : undefined)
        const told = nothingTold()
        await openOn(machine)
          .then((journal) => work(journal, told, 'a'))
          .catch(() => undefined)
        // The one that opens it dies too, at some call.
        const next = machine.calls + Math.floor(random() * 12)
        machine.onCall = (call) => (call.index === next ? {crash: 'after'} : undefined)
        await openOn(machine)
          .then((journal) => journal.close())
          .catch(() => undefined)
        machine.onCall = undefined
        const journal = await openOn(machine)
        expectToHold(journal, told, place)
        expectOpen(journal, told, place)
        await journal
          .settle(journal.openOperations()[0]?.intent.op ?? 'none', ending('failed'))
          .catch(() => undefined)
        await journal.close()
      }
    }
  })

  it('and has lost sectors here and there holds all that was told, or is loud', async () => {
    let loud = 0
    for (let seed = 0; seed < 400; seed++) {
      const random = seeded(seed)
      const machine = new MemoryDisk({random, holes: true})
      const last = Math.floor(random() * calls)
      machine.onCall = ({index}) => (index === last ? {crash: 'after'} : undefined)
      const told = nothingTold()
      await openOn(machine)
        .then((journal) => work(journal, told, 'a'))
        .catch(() => undefined)
      try {
        expectToHold(await openOn(machine), told, `seed ${seed}`)
      } catch (error) {
        if (!(error instanceof FelhomError) || error.code !== 'journal_corrupt') throw error
        loud++
      }
    }
    expect(loud).to.be.lessThan(40)
  })

  it('when the next one has built on what a killed process left in the cache, loses none of it', async () => {
    const places = Array.from({length: calls}, (_, index) => [
      [index, 'writes'] as const,
      [index, 'looks only'] as const,
    ]).flat()
    for (const [index, round] of places) {
      const machine = new MemoryDisk()
      // The process is killed at this call; what it wrote is in the cache, some of it not on disk.
      machine.onCall = (call) => (call.index === index ? {crash: 'before', by: 'kill'} : undefined)
      const told = nothingTold()
      await openOn(machine)
        .then((journal) => work(journal, told, 'a'))
        .catch(() => undefined)
      machine.onCall = undefined
      const second = await openOn(machine)
      const seen = second.openOperations().map(({intent}) => intent.op)
      // What it has seen it may have told; what it has written it certainly has.
      const isWriting = round === 'writes'
      if (isWriting) await second.start(makeIntent('b.1', 200))
      machine.losePower()
      const third = await openOn(machine)
      expect(
        third.openOperations().map(({intent}) => intent.op),
        `call ${index}`,
      ).to.deep.equal([...seen, ...(isWriting ? ['b.1'] : [])])
      expectToHold(third, {...told, asked: new Set([...told.asked, 'b.1'])}, `call ${index}`)
    }
  })
})

describe('appends made at once', () => {
  it('share a sync', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    const before = machine.syncs
    await Promise.all(Array.from({length: 64}, (_, n) => journal.start(makeIntent(`a.${n}`, 100 + n))))
    expect(machine.syncs - before).to.equal(1)
  })

  it('while a sync is under way share the next one, in the order in which they came', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    const before = machine.syncs
    const lanes = 64
    const rounds = 10
    await Promise.all(
      Array.from({length: lanes}, async (_, lane) => {
        for (let round = 0; round < rounds; round++) {
          const op = `a.${lane}-${round}`
          await journal.start(makeIntent(op, 100 + lane))
          await journal.settle(op, ending('succeeded'))
        }
      }),
    )
    expect(machine.syncs - before).to.be.at.most(rounds * 2 + 2)
    await journal.close()
    expect((await readOperations(machine)).length).to.equal(lanes * rounds)
  })

  it('are on disk when they resolve, each of them', async () => {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    for (let n = 0; n < 20; n++) {
      await Promise.any([
        journal.start(makeIntent(`a.${n}`, 100 + n)),
        journal.start(makeIntent(`b.${n}`, 200 + n)),
      ])
    }
    machine.losePower()
    const open = (await openOn(machine)).openOperations().map(({intent}) => intent.op)
    for (let n = 0; n < 20; n++) expect(open).to.include(`a.${n}`)
  })
})
