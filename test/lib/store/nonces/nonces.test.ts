import {expect} from 'chai'
import type {NonceStore} from '../../../../src/lib/gate/ports.ts'
import {openNonces, type OpenNonces} from '../../../../src/lib/store/nonces/open-nonces.ts'
import {readNonces} from '../../../../src/lib/store/nonces/read-nonces.ts'
import {MemoryDisk} from '../../../../src/lib/testing/memory-disk.ts'
import {rejection} from '../../../support/reject.ts'
import {
  ending,
  makeIntent,
  openOn as openJournalOn,
  START_MS,
  STATE,
  tickingClock,
} from '../journal-fixture.ts'
import {DAY_MS, NONCES, openOn, useUntil} from './nonces-fixture.ts'

describe('a nonce', () => {
  let machine: MemoryDisk
  let nonces: OpenNonces
  beforeEach(async () => {
    machine = new MemoryDisk()
    nonces = await openOn(machine)
  })
  const restart = async (): Promise<void> => {
    machine.losePower()
    nonces = await openOn(machine)
  }

  it('is fresh until it is burned, and burned once, in this process and in all that follow', async () => {
    const port: NonceStore = nonces
    expect(port.state('a')).to.equal('fresh')
    await port.burn('a', useUntil())
    for (let round = 0; round < 2; round++) {
      expect(nonces.state('a')).to.equal('burned')
      expect((await rejection(nonces.burn('a', useUntil()))).code).to.equal('nonce_used')
      expect((await rejection(nonces.burn('a', useUntil(START_MS + 99 * DAY_MS)))).code).to.equal(
        'nonce_used',
      )
      expect((await rejection(nonces.reject('a', {...useUntil(), reason: 'x'}))).code).to.equal('nonce_used')
      await restart()
    }
    expect(nonces.find('a')).to.deep.include({state: 'burned', statement: 'sha256:ab'})
  })

  it('that was rejected is never burned, and its reason is kept', async () => {
    await nonces.reject('a', {...useUntil(), reason: 'wrong guest'})
    await restart()
    expect(nonces.state('a')).to.equal('rejected')
    expect(nonces.find('a')?.reason).to.equal('wrong guest')
    const error = await rejection(nonces.burn('a', useUntil()))
    expect(error.code).to.equal('nonce_used')
    expect(error.message).to.equal('the nonce a was rejected before')
    expect(error.hint).to.contain('a new one must be signed')
  })

  it('burned by many at once is burned for one of them', async () => {
    for (const isFirstRecord of [true, false]) {
      const nonce = `at once ${String(isFirstRecord)}`
      const ends = await Promise.allSettled(Array.from({length: 20}, () => nonces.burn(nonce, useUntil())))
      expect(ends.filter(({status}) => status === 'fulfilled')).to.have.length(1)
    }
  })

  it('on its way to the disk is no longer fresh', async () => {
    const burning = nonces.burn('a', useUntil())
    expect(nonces.state('a')).to.equal('burned')
    const rejecting = nonces.reject('b', {...useUntil(), reason: ''})
    expect(nonces.state('b')).to.equal('rejected')
    await Promise.all([burning, rejecting])
  })

  it('cannot be burned with what would not be believed when it is read back', async () => {
    const refused = [
      () => nonces.burn('', useUntil()),
      () => nonces.burn('x'.repeat(129), useUntil()),
      () => nonces.burn('a', useUntil(Number.NaN)),
      () => nonces.burn('a', useUntil(1.5)),
      () => nonces.burn('a', {expMs: 1, statement: undefined as unknown as string}),
      () => nonces.advance({clockMs: Number.NaN}),
      () => nonces.advance({trust: 1.5}),
      () => nonces.resetClock(-1),
    ]
    for (const work of refused) expect((await rejection(work())).code).to.equal('unexpected')
    expect(machine.names(NONCES)).to.deep.equal([])
    await nonces.burn('a', useUntil())
    await restart()
  })

  it('is on another file than the journal, whose compaction leaves it burned', async () => {
    await nonces.burn('a', useUntil())
    const before = machine.bytes(`${NONCES}/00000001.log`)
    const journal = await openJournalOn(machine)
    await journal.start(makeIntent('r.1', 101, {key: 'a'}))
    await journal.settle('r.1', ending('succeeded'))
    await journal.compact({olderThanMs: -1e9, rotate: true})
    await journal.close()
    expect(machine.bytes(`${NONCES}/00000001.log`)).to.deep.equal(before)
    await restart()
    expect(nonces.state('a')).to.equal('burned')
  })

  it('is seen by those who only look, who make nothing', async () => {
    const look = (): ReturnType<typeof readNonces> => readNonces({disk: machine.mount(), dir: STATE})
    const none = await look()
    expect([none.state('a'), none.clockMarkMs, none.trustMark, none.used]).to.deep.equal(['fresh', 0, 0, 0])
    expect([...machine.files().keys()]).to.deep.equal([])
    await nonces.burn('a', useUntil())
    await nonces.advance({clockMs: 5, trust: 1})
    const view = await look()
    expect([view.state('a'), view.find('a')?.statement]).to.deep.equal(['burned', 'sha256:ab'])
    expect([view.clockMarkMs, view.trustMark, view.used]).to.deep.equal([5, 1, 1])
  })

  it('is on disk under the lock only when there is something to write', async () => {
    await nonces.advance({})
    await nonces.compact()
    await nonces.close()
    expect(machine.names(NONCES)).to.deep.equal([])
    expect((await rejection(nonces.burn('a', useUntil()))).code).to.equal('journal_failed')
    expect(machine.names(NONCES)).to.deep.equal([])
  })
})

describe('the marks of clock and trust', () => {
  it('go forward only, whoever moves them at once, and survive', async () => {
    const machine = new MemoryDisk()
    let nonces = await openOn(machine)
    await Promise.all([
      nonces.advance({clockMs: 500, trust: 2}),
      nonces.advance({clockMs: 300}),
      nonces.advance({clockMs: 700, trust: 1}),
      nonces.advance({clockMs: 700}),
    ])
    const lines = machine.text(`${NONCES}/00000001.log`).trimEnd().split('\n')
    expect(lines, 'a header and two steps forward').to.have.length(3)
    machine.losePower()
    nonces = await openOn(machine)
    expect([nonces.clockMarkMs, nonces.trustMark]).to.deep.equal([700, 2])
  })

  it('go back at the word of the operator only, and that of trust never', async () => {
    const machine = new MemoryDisk()
    let nonces = await openOn(machine)
    await nonces.advance({clockMs: 500, trust: 2})
    await nonces.resetClock(100, 'root')
    expect([nonces.clockMarkMs, nonces.trustMark]).to.deep.equal([100, 2])
    await nonces.advance({clockMs: 200})
    machine.losePower()
    nonces = await openOn(machine)
    expect([nonces.clockMarkMs, nonces.trustMark]).to.deep.equal([200, 2])
    expect(machine.text(`${NONCES}/00000001.log`)).to.contain(
      '"type":"clock_reset","clockMs":100,"by":"root"',
    )
  })
})

describe('dropping old nonces', () => {
  const KEEP_MS = 7 * DAY_MS + 60_000

  it('goes by the mark and not by the clock', async () => {
    const machine = new MemoryDisk()
    const nonces = await openNonces({
      disk: machine.mount(),
      dir: STATE,
      clock: tickingClock(START_MS + 1000 * DAY_MS),
      warn: () => undefined,
    })
    await nonces.burn('a', useUntil(START_MS))
    expect(await nonces.compact()).to.equal(0)
    await nonces.advance({clockMs: START_MS + KEEP_MS})
    expect(await nonces.compact()).to.equal(0)
    expect(nonces.state('a')).to.equal('burned')
    await nonces.advance({clockMs: START_MS + KEEP_MS + 1})
    expect(await nonces.compact()).to.equal(1)
    expect(nonces.state('a')).to.equal('fresh')
    expect(machine.names(NONCES)).to.deep.equal(['00000004.log'])
  })

  it('makes none fresh again when the clock is set back afterwards', async () => {
    const machine = new MemoryDisk()
    let nonces = await openOn(machine)
    await nonces.burn('a', useUntil(START_MS))
    await nonces.advance({clockMs: START_MS + KEEP_MS + 1})
    await nonces.compact()
    await nonces.resetClock(START_MS - 1000)
    await nonces.compact()
    for (let round = 0; round < 2; round++) {
      expect((await rejection(nonces.burn('a', useUntil(START_MS)))).code).to.equal('nonce_used')
      machine.losePower()
      nonces = await openOn(machine)
    }
    await nonces.burn('b', useUntil(START_MS + 1))
  })

  it('while such a one is being burned leaves a log that can be read', async () => {
    const machine = new MemoryDisk()
    const nonces = await openOn(machine)
    await nonces.burn('a', useUntil(START_MS))
    await nonces.advance({clockMs: START_MS + KEEP_MS + 1})
    const dropping = nonces.compact()
    await Promise.resolve()
    const burning = Array.from({length: 5}, (_, n) => nonces.burn(`b ${n}`, useUntil(START_MS)))
    await Promise.allSettled([dropping, ...burning])
    machine.losePower()
    const again = await openOn(machine)
    expect((await rejection(again.burn('b 0', useUntil(START_MS)))).code).to.equal('nonce_used')
  })

  it('happens by itself when many can go, and only a warning tells that it could not', async () => {
    const machine = new MemoryDisk()
    const nonces = await openOn(machine)
    await Promise.all(Array.from({length: 1000}, (_, n) => nonces.burn(`n ${n}`, useUntil(START_MS))))
    await nonces.burn('late', useUntil())
    await nonces.advance({clockMs: START_MS + KEEP_MS + 1})
    await nonces.close()
    const warnings: string[] = []
    machine.onCall = ({name, path}) =>
      name === 'open' && path.endsWith('.tmp') ? {error: 'ENOSPC'} : undefined
    const full = await openOn(machine, {warnings})
    expect(warnings).to.have.length(1)
    await full.close()
    machine.onCall = undefined
    // The drop itself was recorded: the next one has nothing left to drop.
    const again = await openOn(machine)
    expect([again.state('n 0'), again.state('late')]).to.deep.equal(['fresh', 'burned'])
    expect((await rejection(again.burn('n 0', useUntil(START_MS)))).code).to.equal('nonce_used')
  })
})
