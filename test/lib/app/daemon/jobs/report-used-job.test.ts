import {expect} from 'chai'
import {reportUsed} from '../../../../../src/lib/app/daemon/jobs/report-used-job.ts'
import {PassBench} from '../../../../support/pass-bench.ts'

describe('what became of a job', () => {
  it('is told by the journal even when its number has been dropped from those that were used', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.jobs = [await bench.sign(150, {type: 'destroy', volumes: []})]
    const [done] = (await bench.pass()).jobs
    expect(done).to.include({outcome: 'succeeded'})
    const nonce = done?.nonce ?? ''
    const nonces = {state: () => 'fresh'} as unknown as Parameters<typeof reportUsed>[1]['nonces']
    const claim = {
      nonce,
      op: 'guest.destroy',
      params: {purge: true},
      target: {kind: 'lxc', vmid: 150},
    } as const
    const told = await bench.look(({journal}) => reportUsed(claim as never, {nonces, journal}))
    expect(told).to.deep.equal({outcome: 'succeeded', operation: done?.operation})
    const forgotten = await bench.look(({journal}) => {
      const compacted = {...journal, findByKey: () => undefined, usedKey: () => true}
      return reportUsed(claim as never, {nonces, journal: compacted})
    })
    expect(forgotten).to.deep.include({outcome: 'refused', refusal: 'replay'})
    expect(forgotten?.detail).to.contain('its number was used, for this job or another')
    expect(
      await bench.look(({journal}) => reportUsed({...claim, nonce: 'another'} as never, {nonces, journal})),
    ).to.equal(undefined)
  })

  it('is told of no other guest and no other operation, whoever has learned its number', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.jobs = [await bench.sign(150, {type: 'destroy', volumes: []})]
    const [done] = (await bench.pass()).jobs
    const nonce = done?.nonce ?? ''
    const claim = {nonce, op: 'guest.destroy', params: {}, target: {kind: 'lxc', vmid: 150}}
    const others = [
      {...claim, target: {kind: 'lxc', vmid: 101}},
      {...claim, target: {kind: 'qemu', vmid: 150}},
      {...claim, op: 'snapshot.delete', params: {snapshot: 'x'}},
      {...claim, op: 'volume.remove', params: {option: 'unused0'}},
    ]
    for (const other of others) {
      const told = await bench.look((state) => reportUsed(other as never, state))
      expect(told).to.include({outcome: 'refused', refusal: 'binding_mismatch'})
      expect(told).to.not.have.property('operation')
    }
    expect(await bench.look((state) => reportUsed(claim as never, state))).to.include({outcome: 'succeeded'})
  })
})
