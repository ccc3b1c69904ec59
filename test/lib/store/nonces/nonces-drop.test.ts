import {expect} from 'chai'
import fc from 'fast-check'
import {isFelhomError} from '../../../../src/lib/model/felhom-error.ts'
import type {OpenNonces} from '../../../../src/lib/store/nonces/open-nonces.ts'
import {verifyNonces} from '../../../../src/lib/store/nonces/read-nonces.ts'
import {MemoryDisk} from '../../../../src/lib/testing/memory-disk.ts'
import {STATE} from '../journal-fixture.ts'
import {DAY_MS, openOn, useUntil} from './nonces-fixture.ts'

const KEEP_MS = 7 * DAY_MS + 60_000

type Step =
  | {readonly do: 'burn' | 'reject'; readonly nonce: string; readonly expMs: number}
  | {readonly do: 'advance' | 'reset'; readonly clockMs: number}
  | {readonly do: 'compact' | 'kill' | 'power'}

const nonce = fc.constantFrom('a', 'b', 'c', 'd', 'e')
/** Around the borders at which something may just, or just not yet, be dropped. */
const moment = fc
  .tuple(fc.integer({min: 0, max: 4}), fc.integer({min: 0, max: 2}), fc.integer({min: -1, max: 1}))
  .map(([days, keeps, more]) => Math.max(0, days * DAY_MS + keeps * KEEP_MS + more))

const step: fc.Arbitrary<Step> = fc.oneof(
  {weight: 5, arbitrary: fc.record({do: fc.constantFrom('burn', 'reject'), nonce, expMs: moment})},
  {weight: 3, arbitrary: fc.record({do: fc.constant('advance'), clockMs: moment})},
  {weight: 1, arbitrary: fc.record({do: fc.constant('reset'), clockMs: moment})},
  {weight: 2, arbitrary: fc.record({do: fc.constant('compact')})},
  {weight: 2, arbitrary: fc.record({do: fc.constantFrom('kill', 'power')})},
)

/** What must hold, in a few lines and without a disk. */
class Model {
  readonly kept = new Map<string, {state: string; expMs: number}>()
  readonly #everUsed = new Set<string>()
  #markMs = 0
  #droppedBeforeMs = 0

  get markMs(): number {
    return this.#markMs
  }

  use(state: string, nonce: string, expMs: number): boolean {
    const isFresh = !this.kept.has(nonce) && expMs >= this.#droppedBeforeMs
    if (!isFresh) return false
    expect(this.#everUsed.has(`${nonce} ${expMs}`), 'the same statement was used twice').to.equal(false)
    this.#everUsed.add(`${nonce} ${expMs}`)
    this.kept.set(nonce, {state, expMs})
    return true
  }

  advance(toMs: number): void {
    this.#markMs = Math.max(this.#markMs, toMs)
  }

  reset(toMs: number): void {
    this.#markMs = toMs
  }

  compact(): void {
    for (const [nonce, {expMs}] of this.kept) {
      if (expMs + KEEP_MS >= this.#markMs) continue
      this.kept.delete(nonce)
      this.#droppedBeforeMs = Math.max(this.#droppedBeforeMs, this.#markMs - KEEP_MS)
    }
  }
}

async function isTaken(job: Promise<void>): Promise<boolean> {
  try {
    await job
    return true
  } catch (error) {
    if (isFelhomError(error, 'nonce_used')) return false
    throw error
  }
}

async function take(step: Step, nonces: OpenNonces, model: Model): Promise<void> {
  if (step.do === 'burn' || step.do === 'reject') {
    const {nonce, expMs} = step
    const job =
      step.do === 'burn'
        ? nonces.burn(nonce, useUntil(expMs))
        : nonces.reject(nonce, {...useUntil(expMs), reason: ''})
    expect(await isTaken(job)).to.equal(model.use(step.do === 'burn' ? 'burned' : 'rejected', nonce, expMs))
  } else if (step.do === 'advance') {
    await nonces.advance({clockMs: step.clockMs})
    model.advance(step.clockMs)
  } else if (step.do === 'reset') {
    await nonces.resetClock(step.clockMs)
    model.reset(step.clockMs)
  } else if (step.do === 'compact') {
    await nonces.compact()
    model.compact()
  }
}

describe('nonces, whatever is done to them in whatever order', () => {
  it('are kept for seven days and a minute after their end by the mark, and no statement is used twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, {maxLength: 40}), fc.boolean(), async (steps, isSmall) => {
        const machine = new MemoryDisk()
        const model = new Model()
        const more = isSmall ? {segmentBytes: 600} : {}
        let nonces = await openOn(machine, more)
        for (const each of steps) {
          if (each.do === 'kill' || each.do === 'power') {
            if (each.do === 'kill') machine.kill()
            else machine.losePower()
            nonces = await openOn(machine, more)
          } else await take(each, nonces, model)
          for (const name of ['a', 'b', 'c', 'd', 'e'])
            expect(nonces.state(name), name).to.equal(model.kept.get(name)?.state ?? 'fresh')
          expect(nonces.clockMarkMs).to.equal(model.markMs)
        }
        expect(await verifyNonces({disk: machine.mount(), dir: STATE})).to.deep.equal([])
      }),
      {numRuns: 300},
    )
  })
})
