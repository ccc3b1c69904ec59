import {setImmediate as turn, setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import {systemClock} from '../../../src/lib/app/system-clock.ts'

describe('the clock on the wall', () => {
  it('sleeps for longer than a timer of Node can, until it is told to end', async () => {
    const stop = new AbortController()
    let isAwake = false
    const slept = systemClock.sleep(40 * 86_400_000, stop.signal).finally(() => {
      isAwake = true
    })
    slept.catch(() => undefined)
    await sleep(20)
    expect(isAwake).to.equal(false)
    const reason = new Error('told to end')
    stop.abort(reason)
    const failure = await slept.then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).to.equal(reason)
  })

  it('does not sleep where no time is left', async () => {
    await systemClock.sleep(0)
    await systemClock.sleep(-5)
    await turn()
  })
})
