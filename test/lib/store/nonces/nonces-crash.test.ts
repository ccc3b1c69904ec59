import {expect} from 'chai'
import {FelhomError} from '../../../../src/lib/model/felhom-error.ts'
import type {OpenNonces} from '../../../../src/lib/store/nonces/open-nonces.ts'
import {verifyNonces} from '../../../../src/lib/store/nonces/read-nonces.ts'
import {MemoryDisk, type DiskFault} from '../../../../src/lib/testing/memory-disk.ts'
import {rejection} from '../../../support/reject.ts'
import {START_MS, STATE} from '../journal-fixture.ts'
import {DAY_MS, NONCES, openOn, useUntil} from './nonces-fixture.ts'

/** A small pseudo-random sequence, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = (seed * 2654435761 + 12345) >>> 0
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0
    const mixed = Math.imul(state ^ (state >>> 13), 3266489917) >>> 0
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
}

/** What callers were told, over all processes there ever were. */
interface Told {
  /** How often a burn of it was told to have succeeded. */
  readonly burned: Map<string, number>
  readonly rejected: Set<string>
  clockMarkMs: number
  trustMark: number
  readonly failures: unknown[]
}

const nothingTold = (): Told => ({
  burned: new Map(),
  rejected: new Set(),
  clockMarkMs: 0,
  trustMark: 0,
  failures: [],
})

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']

/** Lanes that burn the same nonces at once, marks between them, and in the middle a compaction that drops one. */
async function work(nonces: OpenNonces, told: Told): Promise<void> {
  const attempt = async (job: Promise<void>, onSuccess: () => void): Promise<void> => {
    try {
      await job
    } catch (error) {
      if (!(error instanceof FelhomError && error.code === 'nonce_used')) told.failures.push(error)
      return
    }
    onSuccess()
  }
  const burn = (nonce: string, expMs = START_MS + 30 * DAY_MS): Promise<void> =>
    attempt(nonces.burn(nonce, useUntil(expMs)), () => {
      told.burned.set(nonce, (told.burned.get(nonce) ?? 0) + 1)
    })
  const advance = (clockMs: number, trust: number): Promise<void> =>
    attempt(nonces.advance({clockMs, trust}), () => {
      told.clockMarkMs = Math.max(told.clockMarkMs, clockMs)
      told.trustMark = Math.max(told.trustMark, trust)
    })
  await burn('old', START_MS)
  await Promise.all([burn('a'), burn('a'), burn('b'), advance(START_MS, 1)])
  await attempt(nonces.reject('x', {...useUntil(START_MS + 30 * DAY_MS), reason: 'no'}), () => {
    told.rejected.add('x')
  })
  await advance(START_MS + 8 * DAY_MS, 2)
  await Promise.all([
    burn('c'),
    nonces.compact().catch((error: unknown) => told.failures.push(error)),
    burn('d'),
  ])
  await Promise.all([burn('e'), burn('f'), burn('x')])
}

/** Every use that was told to be there is there, and none was told twice. */
function expectToHold(nonces: OpenNonces, told: Told, place: string): void {
  for (const [nonce, times] of told.burned) {
    expect(times, `${place}: burns of ${nonce}`).to.equal(1)
    if (nonce !== 'old') expect(nonces.state(nonce), `${place}: ${nonce}`).to.equal('burned')
  }
  for (const nonce of told.rejected) expect(nonces.state(nonce), `${place}: ${nonce}`).to.equal('rejected')
  expect(nonces.clockMarkMs, `${place}: clock`).to.be.at.least(told.clockMarkMs)
  expect(nonces.trustMark, `${place}: trust`).to.be.at.least(told.trustMark)
}

const runOn = async (machine: MemoryDisk, told: Told): Promise<void> => {
  try {
    await work(await openOn(machine), told)
  } catch (error) {
    told.failures.push(error)
  }
}

/** The same work again, as a retry of everything would do it, until each is burned or refused. */
async function retryAll(machine: MemoryDisk, told: Told, place: string): Promise<void> {
  const nonces = await openOn(machine)
  expectToHold(nonces, told, place)
  await work(nonces, told)
  expectToHold(nonces, told, `${place}, again`)
  // Never told of, or told once: but used for ever.
  for (const nonce of [...NAMES, 'x', 'old']) {
    const error = await rejection(
      nonces.burn(nonce, useUntil(nonce === 'old' ? START_MS : START_MS + 30 * DAY_MS)),
    )
    expect(error.code, `${place}: ${nonce}`).to.equal('nonce_used')
  }
  await nonces.close()
  expect(await verifyNonces({disk: machine.mount(), dir: STATE}), place).to.deep.equal([])
}

describe('nonces on a disk that fails, or whose machine dies', () => {
  let calls: number
  before(async () => {
    const machine = new MemoryDisk()
    const told = nothingTold()
    await runOn(machine, told)
    expect(told.failures).to.deep.equal([])
    expect([...told.burned.values()]).to.deep.equal([1, 1, 1, 1, 1, 1, 1])
    calls = machine.calls
  })

  it('at any call, by power, once or twice, are never burned twice and never forgotten', async () => {
    for (let index = 0; index < calls; index++) {
      for (const [variant, crash] of (['before', 'after', 'before', 'after'] as const).entries()) {
        const place = `call ${index}, ${crash}, ${variant}`
        const random = seeded(index * 7 + variant)
        const machine = new MemoryDisk({random})
        machine.onCall = (call) => (call.index === index ? {crash} : undefined)
        const told = nothingTold()
        await runOn(machine, told)
        // The one that comes next dies too, at some call.
        const next = machine.calls + Math.floor(random() * 20)
        machine.onCall = (call) => (call.index === next ? {crash: 'after'} : undefined)
        await runOn(machine, told)
        machine.onCall = undefined
        machine.losePower()
        await retryAll(machine, told, place)
      }
    }
  })

  it('by kill, with what was written still in the cache, likewise', async () => {
    for (let index = 0; index < calls; index++) {
      const machine = new MemoryDisk({random: seeded(index)})
      machine.onCall = (call) => {
        if (call.index === index) machine.kill()
        return undefined
      }
      const told = nothingTold()
      await runOn(machine, told)
      machine.onCall = undefined
      await runOn(machine, told)
      machine.losePower()
      await retryAll(machine, told, `call ${index}`)
    }
  })

  const faults: Record<string, DiskFault> = {
    ENOSPC: {error: 'ENOSPC'},
    'ENOSPC after some bytes': {error: 'ENOSPC', afterBytes: 37},
    EIO: {error: 'EIO'},
  }
  for (const [name, fault] of Object.entries(faults))
    it(`with ${name} at any one call tell no lie, before and after a power loss`, async () => {
      for (let index = 0; index < calls; index++) {
        const machine = new MemoryDisk({random: seeded(index)})
        machine.onCall = (call) => (call.index === index ? fault : undefined)
        const told = nothingTold()
        await runOn(machine, told)
        for (const failure of told.failures)
          expect(failure, `call ${index}`)
            .to.be.instanceOf(FelhomError)
            .with.property('code', 'journal_failed')
        machine.onCall = undefined
        machine.losePower()
        await retryAll(machine, told, `call ${index}`)
      }
    })

  it('in mid-burn refuse, leave nothing of it, and can burn it when there is room again', async () => {
    const machine = new MemoryDisk()
    const nonces = await openOn(machine)
    await nonces.burn('a', useUntil())
    const path = `${NONCES}/00000001.log`
    const bytes = machine.bytes(path)
    machine.onCall = ({name}) => (name === 'write' ? {error: 'ENOSPC', afterBytes: 60} : undefined)
    expect((await rejection(nonces.burn('b', useUntil()))).code).to.equal('journal_failed')
    expect(nonces.state('b')).to.equal('fresh')
    expect(machine.bytes(path)).to.deep.equal(bytes)
    machine.onCall = undefined
    await nonces.burn('b', useUntil())
  })

  it('that could not even be begun can be when there is room', async () => {
    const machine = new MemoryDisk()
    const nonces = await openOn(machine)
    machine.onCall = ({name}) => (name === 'write' ? {error: 'ENOSPC'} : undefined)
    expect((await rejection(nonces.burn('a', useUntil()))).code).to.equal('journal_failed')
    machine.onCall = undefined
    await nonces.burn('a', useUntil())
    machine.losePower()
    expect((await openOn(machine)).state('a')).to.equal('burned')
  })

  it('after one failed sync burn nothing more, though the disk be well again', async () => {
    const machine = new MemoryDisk()
    const nonces = await openOn(machine)
    await nonces.burn('a', useUntil())
    machine.onCall = ({name}) => (name === 'datasync' ? {error: 'EIO'} : undefined)
    expect((await rejection(nonces.burn('b', useUntil()))).code).to.equal('journal_failed')
    machine.onCall = undefined
    for (const refused of [() => nonces.burn('b', useUntil()), () => nonces.advance({clockMs: 1})])
      expect((await rejection(refused())).code).to.equal('journal_failed')
  })
})
