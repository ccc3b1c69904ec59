import {expect} from 'chai'
import {formatJob, parseJob, planJob} from '../../../../src/lib/app/gate/run-signed-job.ts'
import {EngineBench} from '../../../support/engine-bench.ts'
import {homelabSeed} from '../../../support/homelab-seed.ts'
import {rejection} from '../../../support/reject.ts'

const bench = (): EngineBench => new EngineBench({seed: homelabSeed})

describe('a job that is signed for', () => {
  it('is written as it is read', () => {
    for (const text of [
      'guest.destroy lxc/102',
      'snapshot.delete 101 before-upgrade',
      'snapshot.rollback lxc/101 before-upgrade',
      'volume.detach lxc/110 mp0',
      'volume.remove qemu/200 unused0',
    ])
      expect(formatJob(parseJob(`  ${text.replace(' ', '  ')} `))).to.equal(text)
  })

  it('is refused where it is none, or lacks what it is about', () => {
    for (const text of [
      '',
      'guest.destroy',
      'guest.destroy lxc/102 now',
      'snapshot.delete lxc/101',
      'snapshot.delete lxc/101 a b',
      'storage.wipe pve sdb',
    ])
      expect(() => parseJob(text), text).to.throw(/is no job/)
  })

  it('becomes the actions of one guest, each of them destructive or serving one that is', async () => {
    const it = bench()
    const actual = await it.read()
    const types = async (text: string): Promise<string[]> =>
      (await it.sandbox.clock.run(planJob(parseJob(text), actual, it.reader))).actions.map(({type}) => type)
    expect(await types('guest.destroy 102')).to.deep.equal(['shutdown', 'destroy'])
    expect(await types('snapshot.delete 101 before-upgrade')).to.deep.equal(['snapshot-delete'])
    expect(await types('snapshot.rollback 101 before-upgrade')).to.deep.equal(['snapshot-rollback'])
    expect(await types('volume.detach lxc/120 mp0')).to.deep.equal(['set-config'])
  })

  it('names what is not there, and what is', async () => {
    const it = bench()
    const actual = await it.read()
    const plan = (text: string): Promise<unknown> =>
      it.sandbox.clock.run(planJob(parseJob(text), actual, it.reader))
    const typo = await rejection(plan('snapshot.delete 101 befor'))
    expect(`${typo.message} ${String(typo.hint)}`).to.match(/no snapshot "befor".*before-upgrade/)
    for (const text of ['guest.destroy lxc/999', 'guest.destroy qemu/101', 'volume.detach lxc/101 mp7'])
      expect((await rejection(plan(text))).code, text).to.equal('usage')
  })

  it('removes volumes under the operation that is for them, and nothing else', async () => {
    const it = bench()
    const actual = await it.read()
    const plan = (text: string): Promise<unknown> =>
      it.sandbox.clock.run(planJob(parseJob(text), actual, it.reader))
    for (const text of [
      'volume.detach lxc/101 net0',
      'volume.remove lxc/101 memory',
      'volume.remove lxc/120 mp0',
      'volume.detach lxc/101 constructor',
    ]) {
      const error = await rejection(plan(text))
      expect(`${error.code} ${error.message}`, text).to.match(/^usage .*(is not what removes|has no)/)
    }
  })
})
