import {expect} from 'chai'
import type {Journal} from '../../../src/lib/engine/ports.ts'
import type {Intent} from '../../../src/lib/model/operation.ts'
import type {JournalStore} from '../../../src/lib/store/open-journal.ts'
import {MemoryDisk} from '../../../src/lib/testing/memory-disk.ts'
import {rejection} from '../../support/reject.ts'
import {ending, IDENTITY, makeIntent, openOn, segmentPath, START_MS, upidOf} from './journal-fixture.ts'

const clone = (from: number): Pick<Intent, 'body'> => ({
  body: {type: 'create', from: {clone: from}, options: {}, secrets: [], marker: []},
})

describe('a journal', () => {
  let machine: MemoryDisk
  let journal: JournalStore
  beforeEach(async () => {
    machine = new MemoryDisk()
    journal = await openOn(machine)
  })
  const reopen = async (): Promise<JournalStore> => {
    await journal.close()
    journal = await openOn(machine)
    return journal
  }
  /** As it is, after a restart, and after a restart that finds only a checkpoint. */
  const everyWay = async (check: (place: string) => unknown): Promise<void> => {
    await check('as it is')
    await reopen()
    await check('after a restart')
    await journal.rotate()
    await journal.compact({olderThanMs: -1000})
    await reopen()
    await check('after rotation and compaction')
  }

  it('is what the engine asks for', () => {
    const port: Journal = journal
    expect(port.openOperations()).to.deep.equal([])
    expect(port.knowsTasksSinceMs).to.equal(START_MS)
  })

  it('hands back exactly what it has written, whatever becomes of what it was given', async () => {
    const given = {...makeIntent('r.1', 101), name: undefined} as unknown as Intent & {digest?: string}
    const starting = journal.start(given)
    Object.assign(given, {digest: 'changed', knownTasks: ['x']})
    expect(await starting).to.deep.equal(makeIntent('r.1', 101))
    expect(machine.text(segmentPath(1))).to.not.contain('changed')
  })

  it('follows an operation from its start to its end', async () => {
    await journal.start(makeIntent('r.1', 101))
    expect(journal.find('r.1')).to.include({state: 'started'})
    await journal.taskRunning('r.1', upidOf(1))
    await everyWay((place) => {
      expect(journal.openOperations(), place).to.have.length(1)
      expect(journal.find('r.1'), place).to.include({state: 'task_running', upid: upidOf(1)})
      expect(journal.find('r.1')?.intent, place).to.deep.equal(makeIntent('r.1', 101))
    })
    await journal.settle('r.1', ending('succeeded'))
    expect(journal.find('r.1')).to.include({state: 'succeeded', by: 'engine', upid: upidOf(1)})
    await everyWay((place) => expect(journal.openOperations(), place).to.deep.equal([]))
  })

  it('freezes a guest while an operation of it is open, also while it is quarantined', async () => {
    await journal.start(makeIntent('r.1', 101))
    await journal.settle('r.1', ending('quarantined', {by: 'recover'}))
    await everyWay(async (place) => {
      const error = await rejection(journal.start(makeIntent('r.2', 101)))
      expect(error.code, place).to.equal('guest_frozen')
      expect(error.message, place).to.contain('r.1')
    })
    await journal.settle('r.1', ending('failed', {by: 'operator'}))
    await journal.start(makeIntent('r.2', 101))
  })

  it('freezes the source of a clone as it does its target', async () => {
    await journal.start(makeIntent('r.1', 200, clone(900)))
    await everyWay(async (place) => {
      for (const [vmid, more] of [
        [900, {}],
        [200, {}],
        [201, clone(900)],
      ] as const)
        expect((await rejection(journal.start(makeIntent('r.2', vmid, more)))).code, place).to.equal(
          'guest_frozen',
        )
    })
    await journal.settle('r.1', ending('succeeded'))
    await journal.start(makeIntent('r.2', 900))
    expect((await rejection(journal.start(makeIntent('r.3', 201, clone(900))))).code).to.equal('guest_frozen')
  })

  it('lets one of two start that are asked for the same guest, or under the same key, at once', async () => {
    const both = (more: Partial<Intent>, vmids: [number, number]): Promise<PromiseSettledResult<unknown>[]> =>
      Promise.allSettled(vmids.map((vmid, n) => journal.start(makeIntent(`r.${vmid}-${n}`, vmid, more))))
    const [first, second] = await both({}, [101, 101])
    expect(first?.status).to.equal('fulfilled')
    expect(second).to.have.nested.property('reason.code', 'guest_frozen')
    const [third, fourth] = await both({key: 'k'}, [102, 103])
    expect(third?.status).to.equal('fulfilled')
    expect(fourth).to.have.nested.property('reason.code', 'key_used')
  })

  it('never lets a key be used twice', async () => {
    await journal.start(makeIntent('r.1', 101, {key: 'nonce'}))
    await journal.settle('r.1', ending('failed'))
    await everyWay(async (place) => {
      expect(journal.usedKey('nonce'), place).to.equal(true)
      expect(journal.usedKey('other'), place).to.equal(false)
      const error = await rejection(journal.start(makeIntent('r.2', 102, {key: 'nonce'})))
      expect(error.code, place).to.equal('key_used')
    })
  })

  it('takes nothing for an operation that is not open', async () => {
    await journal.start(makeIntent('r.1', 101))
    await journal.settle('r.1', ending('succeeded'))
    await everyWay(async (place) => {
      for (const refused of [
        journal.settle('r.1', ending('failed')),
        journal.taskRunning('r.1', upidOf(1)),
        journal.settle('r.9', ending('failed')),
        journal.noteAbsence('r.9', 1),
        journal.noteAbsence('r.1', undefined),
      ])
        expect((await rejection(refused)).code, place).to.equal('unexpected')
    })
    await journal.start(makeIntent('r.2', 101))
    expect((await rejection(journal.start(makeIntent('r.2', 102)))).code).to.equal('unexpected')
  })

  it('takes what follows on an operation in the order in which it was asked, also when nobody waits', async () => {
    await journal.start(makeIntent('r.1', 101))
    const running = journal.taskRunning('r.1', upidOf(1))
    const settled = journal.settle('r.1', ending('succeeded'))
    const again = rejection(journal.settle('r.1', ending('failed')))
    await Promise.all([running, settled])
    expect((await again).code).to.equal('unexpected')
    expect(journal.find('r.1')).to.include({state: 'succeeded'})
  })

  it('lets recover or the operator settle what is quarantined, and not the engine', async () => {
    await journal.start(makeIntent('r.1', 101))
    await journal.settle('r.1', ending('quarantined', {by: 'engine', reason: 'two tasks'}))
    expect(journal.find('r.1')).to.include({state: 'quarantined', reason: 'two tasks'})
    expect((await rejection(journal.settle('r.1', ending('succeeded')))).message).to.contain('quarantined')
    await journal.taskRunning('r.1', upidOf(1))
    await journal.settle('r.1', ending('succeeded', {by: 'recover'}))
  })

  it('knows one task of an operation and no other', async () => {
    await journal.start(makeIntent('r.1', 101))
    await journal.taskRunning('r.1', upidOf(1))
    await journal.taskRunning('r.1', upidOf(1))
    expect((await rejection(journal.taskRunning('r.1', upidOf(2)))).message).to.contain(upidOf(1))
  })

  it('remembers since when a guest was proved absent, until it is seen', async () => {
    await journal.start(makeIntent('r.1', 101))
    await journal.noteAbsence('r.1', 5000)
    await everyWay((place) => expect(journal.find('r.1')?.absentSinceMs, place).to.equal(5000))
    const bytes = machine.calls
    await journal.noteAbsence('r.1', 5000)
    expect(machine.calls).to.equal(bytes)
    await journal.noteAbsence('r.1', undefined)
    await everyWay((place) => expect(journal.find('r.1'), place).to.not.have.property('absentSinceMs'))
  })

  it('knows its own tasks, and stays disarmed because of others until they were looked at', async () => {
    await journal.start(makeIntent('r.1', 101))
    await journal.taskRunning('r.1', upidOf(1))
    await journal.settle('r.1', ending('succeeded'))
    await journal.disarm([upidOf(2), upidOf(3)])
    await journal.disarm([upidOf(3)])
    await everyWay((place) => {
      expect(journal.disarmed(), place).to.deep.equal([upidOf(2), upidOf(3)])
      expect(
        [1, 2, 3].map((n) => journal.knowsTask(upidOf(n))),
        place,
      ).to.deep.equal([true, false, false])
      expect(journal.knowsTasksSinceMs, place).to.equal(START_MS)
    })
    await journal.rearm([upidOf(2), upidOf(9)])
    await everyWay((place) => {
      expect(journal.disarmed(), place).to.deep.equal([upidOf(3)])
      expect(
        [2, 3, 9].map((n) => journal.knowsTask(upidOf(n))),
        place,
      ).to.deep.equal([true, false, false])
    })
  })

  it('remembers the last run', async () => {
    expect(journal.lastRun()).to.equal(undefined)
    await journal.start(makeIntent('first.1', 101))
    await journal.start(makeIntent('second.1', 102))
    await everyWay((place) => expect(journal.lastRun(), place).to.equal('second'))
  })

  it('is refused with open operations of another endpoint or token, and goes on without any', async () => {
    await journal.start(makeIntent('r.1', 101, {key: 'nonce'}))
    await journal.close()
    const others = [
      {...IDENTITY, endpoint: 'https://pve2:8006'},
      {...IDENTITY, tokenId: 'felhom@pve!other'},
    ]
    const before = machine.files()
    for (const identity of others) {
      const error = await rejection(openOn(machine, {identity}))
      expect(error.code).to.equal('journal_mismatch')
      expect(error.message).to.contain('1 open operation at https://pve1:8006 as felhom@pve!token')
    }
    expect(machine.files()).to.deep.equal(before)
    journal = await openOn(machine)
    await journal.settle('r.1', ending('failed'))
    await journal.close()
    journal = await openOn(machine, {identity: others[1] ?? IDENTITY})
    expect(machine.names('/state/journal')).to.deep.equal(['00000001.log', '00000002.log'])
    expect(journal.usedKey('nonce')).to.equal(true)
    await journal.start(makeIntent('r.2', 101))
    await journal.close()
    expect((await rejection(openOn(machine))).code).to.equal('journal_mismatch')
  })

  it('keeps what a few thousand tasks leave behind, and says since when it knows them all', async () => {
    for (let n = 0; n < 2100; n++) {
      await journal.start(makeIntent(`r.${n}`, 101))
      await journal.taskRunning(
        `r.${n}`,
        upidOf(n).replace('6B49D200', (0x6b49d200 + n).toString(16).toUpperCase()),
      )
      await journal.settle(`r.${n}`, ending('succeeded'))
    }
    const begun = (n: number): number => (0x6b49d200 + n) * 1000
    await everyWay((place) => expect(journal.knowsTasksSinceMs, place).to.equal(begun(100)))
    expect(journal.find('r.0')).to.equal(undefined)
    expect(machine.bytes(segmentPath(2)).length).to.be.lessThan(300_000)
  })

  it('waits at its end for what is being written, and takes nothing after it', async () => {
    const starting = journal.start(makeIntent('r.1', 101))
    await journal.close()
    await starting
    expect((await rejection(journal.start(makeIntent('r.2', 102)))).code).to.equal('journal_failed')
  })
})
