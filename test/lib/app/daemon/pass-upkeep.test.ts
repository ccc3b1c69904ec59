// What a pass costs besides its work: one reading of the cluster, and a history that does not grow for ever.
import {expect} from 'chai'
import {DAY_MS, stranger} from '../../../support/gate-bench.ts'
import {desiredGuest} from '../../../support/desired-guest.ts'
import {PassBench} from '../../../support/pass-bench.ts'

const lists = (bench: PassBench): number =>
  bench.bench.connection.requests.filter(({path}) => path === '/access/permissions').length

describe('the upkeep of a pass', () => {
  it('reads the cluster once, however many jobs wait for a signature', async () => {
    const bench = await PassBench.make({mode: 'full'})
    await bench.pass()
    const alone = lists(bench)
    expect(alone).to.be.greaterThan(0)
    const action = {type: 'destroy', volumes: []} as const
    bench.jobs = [await bench.sign(150, action, stranger), await bench.sign(150, action, stranger)]
    await bench.pass()
    expect(bench.reports.at(-1)?.jobs.map(({outcome}) => outcome)).to.deep.equal(['refused', 'refused'])
    expect(lists(bench)).to.equal(alone)
  })

  it('reads it again for a job that follows on what was carried out', async () => {
    const bench = await PassBench.make({mode: 'full'})
    await bench.pass()
    const alone = lists(bench)
    bench.desired = [desiredGuest(101, {memory: '777'})]
    bench.jobs = [await bench.sign(150, {type: 'destroy', volumes: []})]
    const report = await bench.pass()
    expect(report.jobs.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
    expect(lists(bench)).to.be.greaterThan(alone)
  })

  it('removes old history in the first pass of a process too, for cron starts one for each', async () => {
    const bench = await PassBench.make({mode: 'full', keepMs: DAY_MS})
    await bench.look(({journal}) => journal.rotate())
    await bench.clock.advance(2 * DAY_MS)
    await bench.look(({journal}) => journal.rotate())
    await bench.clock.advance(2 * DAY_MS)
    const segments = async (): Promise<number> =>
      (await bench.disk.mount().list('/state/journal')).filter((name) => name.endsWith('.log')).length
    expect(await segments()).to.equal(3)
    bench.restart()
    await bench.pass()
    expect(await segments()).to.equal(1)
  })

  it('removes old history once a clock that was years ahead is put right', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.memory.keptSinceMs = bench.clock.now() + 3650 * DAY_MS
    await bench.pass()
    expect(bench.memory.keptSinceMs).to.be.at.most(bench.clock.now())
  })
})
