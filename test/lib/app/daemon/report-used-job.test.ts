import {expect} from 'chai'
import {reportUsed} from '../../../../src/lib/app/daemon/report-used-job.ts'
import {PassBench} from '../../../support/pass-bench.ts'

describe('what became of a job', () => {
  it('is told by the journal even when its number has been dropped from those that were used', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.jobs = [await bench.sign(150, {type: 'destroy', volumes: []})]
    const [done] = (await bench.pass()).jobs
    expect(done).to.include({outcome: 'succeeded'})
    const nonce = done?.nonce ?? ''
    const nonces = {state: () => 'fresh'} as unknown as Parameters<typeof reportUsed>[1]['nonces']
    const told = await bench.look(({journal}) => reportUsed(nonce, {nonces, journal}))
    expect(told).to.deep.equal({outcome: 'succeeded', operation: done?.operation})
    const forgotten = await bench.look(({journal}) => {
      const compacted = {...journal, findByKey: () => undefined, usedKey: () => true}
      return reportUsed(nonce, {nonces, journal: compacted})
    })
    expect(forgotten).to.deep.include({outcome: 'refused', refusal: 'replay'})
    expect(forgotten?.detail).to.contain('it was sent')
    expect(await bench.look(({journal}) => reportUsed('another', {nonces, journal}))).to.equal(undefined)
  })
})
