import {expect} from 'chai'
import {awaitFollowing} from '../../../src/lib/engine/await-following.ts'
import {VirtualClock} from '../../../src/lib/sandbox/clock.ts'
import {actualGuest} from '../../support/actual-cluster.ts'
import {journaledIntent} from '../../support/journaled-intent.ts'

describe('waiting for a guest to follow its task', () => {
  it('takes no longer because the clock is put back meanwhile', async () => {
    const clock = new VirtualClock()
    const startMs = clock.now()
    let reads = 0
    const reader = {
      readGuest: () => {
        reads++
        return Promise.resolve(actualGuest(200, {run: 'stopped'}))
      },
    }
    const put = {
      now: () => clock.now() - (clock.now() > startMs + 10_000 ? 3_600_000 : 0),
      sleep: (ms: number) => clock.sleep(ms),
    }
    const intent = journaledIntent({kind: 'qemu', vmid: 200, node: 'pve1'}, {type: 'restart'})
    expect(await clock.run(awaitFollowing(intent, reader, put, 60_000))).to.equal('no')
    expect(clock.now() - startMs).to.be.at.most(66_000)
    expect(reads).to.be.below(50)
  })
})
