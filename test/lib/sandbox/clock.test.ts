import {expect} from 'chai'
import fc from 'fast-check'
import {VirtualClock, systemClock} from '../../../src/lib/sandbox/clock.ts'

describe('the virtual clock', () => {
  it('wakes sleepers in the order in which they are due, the earlier asleep first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(50), {maxLength: 40}), async (delays) => {
        const clock = new VirtualClock(0)
        const woken: {delay: number; index: number; at: number}[] = []
        for (const [index, delay] of delays.entries()) {
          void clock.sleep(delay).then(() => woken.push({delay, index, at: clock.now()}))
        }
        await clock.advance(50)
        const expected = delays
          .map((delay, index) => ({delay, index, at: delay}))
          .sort((a, b) => a.delay - b.delay || a.index - b.index)
        expect(woken).to.deep.equal(expected)
      }),
      {numRuns: 100},
    )
  })

  it('runs what a sleeper puts to sleep within the same advance', async () => {
    const clock = new VirtualClock(0)
    const seen: number[] = []
    const chain = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await clock.sleep(10)
        seen.push(clock.now())
      }
    }
    void chain()
    await clock.advance(25)
    expect(seen).to.deep.equal([10, 20])
    expect(clock.now()).to.equal(25)
  })

  it('ends as soon as the work it runs has ended, and says so when nothing can end it', async () => {
    const clock = new VirtualClock(0)
    expect(await clock.run(clock.sleep(7).then(() => 'done'))).to.equal('done')
    expect(clock.now()).to.equal(7)
    const stuck = await clock.run(new Promise(() => undefined)).catch((error: unknown) => String(error))
    expect(stuck).to.contain('virtual time stands still')
  })

  for (const [name, clock] of Object.entries({virtual: new VirtualClock(), system: systemClock})) {
    it(`rejects a sleeper whose signal is aborted (${name})`, async () => {
      const killer = new AbortController()
      const sleeping = clock.sleep(60_000, killer.signal).catch((error: unknown) => error)
      const reason = new Error('killed')
      killer.abort(reason)
      expect(await sleeping).to.equal(reason)
      expect(await clock.sleep(1, killer.signal).catch((error: unknown) => error)).to.equal(reason)
    })
  }
})
